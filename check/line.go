package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// line is one line of a counterexample: what some threads do at one statement.
type line struct {
	site   protocol.Site
	effect string
	parts  []part
}

// part is some threads of one CTA. The indices are nil where the protocol does not say them.
type part struct {
	cta     int
	indices []int
	name    string
}

func (l *line) actor() string {
	slices.SortStableFunc(l.parts, func(a, b part) int { return a.cta - b.cta })
	first := l.parts[0]
	names := make([]string, len(l.parts))
	ctas := make([]int, len(l.parts))
	alike := first.indices != nil
	for i, p := range l.parts {
		names[i], ctas[i] = p.name, p.cta
		alike = alike && slices.Equal(p.indices, first.indices)
	}
	if alike {
		return replay.ThreadNames(first.indices, ctas...)
	}
	return strings.Join(names, " and ")
}

// add takes threads of the CTA of the last part into it.
func (l *line) add(p part) {
	last := &l.parts[len(l.parts)-1]
	last.indices = append(slices.Clone(last.indices), p.indices...)
	slices.Sort(last.indices)
	last.name = replay.ThreadNames(last.indices, last.cta)
}

// accepts reports whether threads are of the CTA of the last part, and all have names.
func (l *line) accepts(p part) bool {
	last := l.parts[len(l.parts)-1]
	return last.cta == p.cta && last.indices != nil && p.indices != nil
}

// joined makes the lines of a counterexample. Neighbouring steps of a statement by threads of one CTA are one line,
// which says what the last of them leads to; a step that completes a barrier ends its line. Warps that meet each at their
// own barrier are one line, and so are inits of several mbarriers in a row, and two CTAs that do the same with the same effect.
func joined(p *protocol.Protocol, steps []replay.StepInfo) []line {
	st := newStatements(p)
	var lines []line
	var last []replay.StepInfo // of each line
	for i := 0; i < len(steps); i++ {
		if l, n := st.warps(steps[i:]); n > 1 {
			i += n - 1
			lines, last = append(lines, l), append(last, steps[i])
			continue
		}
		s := steps[i]
		now := part{st.cta(s.Step), s.Indices, s.Threads}
		if n := len(lines) - 1; n >= 0 && st.together(last[n].Step, s.Step) && lines[n].accepts(now) &&
			st.sameObject(last[n].Step, s.Step) && !strings.HasSuffix(lines[n].effect, "complete") {
			lines[n].add(now)
			lines[n].effect, last[n] = s.Effect, s
			continue
		}
		if n := len(lines) - 1; n >= 0 && st.inits(last[n], s) {
			name, counts, _ := strings.Cut(strings.TrimPrefix(s.Effect, "init of "), ": ")
			if before, ok := strings.CutSuffix(lines[n].effect, ": "+counts); ok {
				lines[n].effect, last[n] = before+", "+name+": "+counts, s
				continue
			}
		}
		lines, last = append(lines, line{s.Site, s.Effect, []part{now}}), append(last, s)
	}
	var out []line
	for i, l := range lines {
		if n := len(out) - 1; n >= 0 && st.together(last[i-1].Step, last[i].Step) && l.effect == out[n].effect && !out[n].has(l.parts[0].cta) {
			out[n].parts = append(out[n].parts, l.parts...)
			continue
		}
		out = append(out, l)
	}
	return out
}

// inits reports whether two steps are inits by one thread at one line.
func (st *statements) inits(a, b replay.StepInfo) bool {
	return a.Class == b.Class && st.op(a.Step).Kind == protocol.Init && st.op(b.Step).Kind == protocol.Init && a.Site.Path == b.Site.Path &&
		a.Site.Line == b.Site.Line && slices.Equal(a.Indices, b.Indices) && a.Indices != nil
}

// warps makes one line of the first n steps, where these are of one statement, each warp of the CTA meets at its own
// barrier, and all come equally far.
func (st *statements) warps(steps []replay.StepInfo) (l line, n int) {
	effects := map[int]string{} // by warp
	var threads []int
	for _, s := range steps {
		op := st.op(s.Step)
		if op.Kind != protocol.NamedArrive && op.Kind != protocol.NamedSync || st.p.Named[op.Object].ID < protocol.WarpBarrier ||
			s.Indices == nil || !st.together(steps[0].Step, s.Step) || st.cta(steps[0].Step) != st.cta(s.Step) {
			break
		}
		_, effect, _ := strings.Cut(s.Effect, ": ")
		effects[st.p.Named[op.Object].ID-protocol.WarpBarrier] = effect
		threads = append(threads, s.Indices...)
		n++
	}
	if len(effects) < 2 {
		return line{}, 0
	}
	ids := slices.Sorted(maps.Keys(effects))
	for _, w := range ids {
		if effects[w] != effects[ids[0]] {
			return line{}, 0
		}
	}
	slices.Sort(threads)
	cta := st.cta(steps[0].Step)
	effect := fmt.Sprintf("%s on the barriers of warps %s: %s", st.op(steps[0].Step).Kind, replay.Ranges(ids), effects[ids[0]])
	return line{steps[0].Site, effect, []part{{cta, threads, replay.ThreadNames(threads, cta)}}}, n
}

// sameObject reports whether the effect of one step says how the object of the other stands too. What an Issue puts in
// flight is counted for each class by itself.
func (st *statements) sameObject(a, b engine.Step) bool {
	x, y := st.op(a), st.op(b)
	return x.Object == y.Object && (x.Kind != protocol.Issue || a.Class == b.Class)
}

func (l *line) has(cta int) bool {
	return slices.ContainsFunc(l.parts, func(p part) bool { return p.cta == cta })
}
