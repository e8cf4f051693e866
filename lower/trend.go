package lower

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// A number of 8 or 16 bits that grows in each round of a loop wraps after 256 or 65,536 of them. Where a run-time unknown says
// how often the loop goes round, no combination has as many rounds: what such a number does there is not looked at.

// trendPlace is a place of the program at which a narrow number is made.
type trendPlace struct {
	file *program.File
	span source.Span
}

// trend is what the numbers made at a place did in all runs of a kernel.
type trend struct {
	bits  uint8
	steps int  // most steps in one direction in one run
	turns bool // some run went back or stayed
}

// walkOf is the way of a place's numbers in one run.
type walkOf struct {
	last  int64
	by    int
	steps int
}

// wraps notes a number that was made at a place in a round of a loop that goes round as often as an unknown says.
func (m *machine) wraps(n program.Node, v value.Value) value.Value {
	m.recurs(n, v)
	w, ok := v.(value.Word)
	if !ok || m.unbounded == 0 || m.host || m.watch != nil || w.T.Bits >= 32 {
		return v
	}
	x, ok := value.PerLane(w.V)
	if !ok || len(x) == 0 {
		return v
	}
	at := trendPlace{m.file, n.Where()}
	if m.walks == nil {
		m.walks = map[trendPlace]*walkOf{}
	}
	s := m.walks[at]
	if s == nil {
		m.walks[at] = &walkOf{last: x[0]}
		return v
	}
	t := m.in.low.trends[at]
	if t == nil {
		t = &trend{bits: w.T.Bits}
		m.in.low.trends[at] = t
	}
	by := cmp.Compare(x[0], s.last)
	if t.turns = t.turns || by == 0 || s.steps > 0 && by != s.by; !t.turns {
		s.by, s.steps = by, s.steps+1
		t.steps = max(t.steps, s.steps)
	}
	s.last = x[0]
	return v
}

// growing are the places at which narrow numbers went one way in all runs, for at least that many steps.
const growing = 2

// widths names the numbers that would wrap in loops that are longer than those that were evaluated.
func (l *lowering) widths(k *Kernel) {
	var out []Opaque
	for at, t := range l.trends {
		if !t.turns && t.steps >= growing {
			out = append(out, Opaque{at.file.Source.Name, at.file.Source.Position(at.span.Start).Line,
				limit.Rounds.Sayf("this number of %d bits grows in each round and wraps after %d; loops that long are not evaluated", t.bits, 1<<t.bits)})
		}
	}
	slices.SortFunc(out, func(a, b Opaque) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line) })
	for _, o := range out {
		k.opaque(o)
	}
}

// asOften begins a loop whose test or range is an unknown; the result ends it.
func (m *machine) asOften(test value.Value) (leave func()) {
	if r, ok := test.(value.RangeValue); ok {
		test = r.Span()
	}
	switch test.(type) {
	case value.Symbol, value.Mixed:
	default:
		return func() {}
	}
	m.unbounded++
	return func() { m.unbounded-- }
}
