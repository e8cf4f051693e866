package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// bounds notes that a loop goes round as often as a value, or a test that the value is part of, says. A kernel that goes
// wrong only where such an unknown is zero may rely on its caller not to ask for that (notes/cutedsl.md 3.2, R9).
func (m *machine) bounds(v value.Value) {
	s, ok := v.(value.Symbol)
	if !ok || m.host || m.watch != nil {
		return
	}
	m.goesRound(0, true)
	if n := len(m.around); n > 0 {
		m.laps(m.around[n-1].loop, s)
	}
	m.endsWith(s.Expr)
	m.bends(s.Expr, 0)
	m.free(s.Expr)
	if s.Expr.Op == "" {
		m.in.low.counts[s.Expr.String()] = true
	}
	m.boundsIn(s.Expr, 0)
	switch e := s.Expr; {
	case e.Op != "min" || e.Y == nil:
	case e.X.IsConst && e.X.Num == 1:
		m.mayBeNone(e.Y)
	case e.Y.IsConst && e.Y.Num == 1:
		m.mayBeNone(e.X)
	}
}

// boundsIn notes the parts of an expression; which of them are unknowns shows when they are asked for.
func (m *machine) boundsIn(e *value.Expr, depth int) {
	if e.IsConst || depth > 16 {
		return
	}
	m.in.low.rounds[e.String()] = true
	if value.IsComparison(e.Op) {
		if w, ok := m.strided(e); ok {
			m.in.low.rounds[w.steps.String()] = true
		}
	}
	if e.Op == "" {
		return
	}
	m.boundsIn(e.X, depth+1)
	if e.Y != nil {
		m.boundsIn(e.Y, depth+1)
	}
}

// bends notes at which numbers the end of a loop is worked out otherwise, as tests of these: past 40 in min(n, 40), past 31 in n % 32 and
// n & 31, past 255 in (unsigned char)n. Roles that go round min(n, 40) and n times agree as long as they are not past it.
func (m *machine) bends(e *value.Expr, part int) {
	if e == nil || e.IsConst || e.Op == "" || len(m.around) == 0 || part > 1<<12 {
		return
	}
	loop := m.around[len(m.around)-1].loop
	at := bend{loop, part}
	test := func(at bend, v value.Value) {
		if q := m.testing(at, v); q != nil {
			q.ends = loop
		}
	}
	switch {
	case value.IsComparison(e.Op) && part > 0 || e.Op == "!":
		test(at, value.Symbol{Expr: e})
	case e.Y != nil && (e.Op == "%" || e.Op == value.Remainder):
		test(at, value.Binary("<", value.Symbol{Expr: e.X}, value.Symbol{Expr: e.Y}))
	case e.Y != nil && slices.Contains([]string{"min", "max", "&"}, e.Op):
		test(at, value.Binary("<=", value.Symbol{Expr: e.X}, value.Symbol{Expr: e.Y}))
	default:
		if t, narrows := value.Conversions[e.Op]; narrows && t.Bits < 32 && e.Y == nil {
			test(at, value.Binary("<=", value.Symbol{Expr: e.X}, value.Int(t.Most())))
		}
	}
	if e.C != nil {
		test(bend{loop, -part - 1}, value.Symbol{Expr: e.C})
	}
	m.bends(e.X, 2*part+1)
	m.bends(e.Y, 2*part+2)
}

// bend is a part of what the end of a loop is worked out of.
type bend struct {
	program.Stmt
	part int
}

// lap is a loop, or a branch that leaves it, in one of its rounds.
type lap struct {
	program.Stmt
	round int64
}

// laps notes what a loop goes on for in each of its first rounds as a test of the launch: with which numbers it goes round once more
// may be far from those with which it began, as where left -= 128 brings it to its end.
func (m *machine) laps(of program.Stmt, test value.Symbol) {
	if n := len(m.around); n > 0 && value.IsComparison(test.Expr.Op) && m.around[n-1].round <= least && !m.host && m.watch == nil {
		m.testing(lap{of, m.around[n-1].round}, test)
	}
}

// mayBeNone notes that the unknowns of an expression are to be zero, too, even those that no launch with the tensor at
// hand can make zero: a kernel with a loop that goes round once for any number but zero means the rest of it to get along
// with no work at all. A branch that asks is no such sign: many producers ask before each of their loads.
func (m *machine) mayBeNone(e *value.Expr) {
	for _, l := range value.Leaves(e, nil) {
		key := l.String()
		if of, ok := m.in.same[key]; ok {
			key = of
		}
		if m.in.low.provided[key] {
			continue
		}
		m.in.low.provided[key] = true
		if _, ok := m.in.values[key]; ok {
			panic(restart{})
		}
	}
}

// position reports whether an unknown says where something begins, and not how much of it there is: a CTA's index, or an
// element of an array of offsets. Zero is as usual as any other there.
func (l *lowering) position(name string) bool {
	base, _, element := strings.Cut(name, "[")
	return inGrid(name) || element && l.rising[base]
}

// inGrid reports whether an unknown is a CTA's or a cluster's place in the grid.
func inGrid(name string) bool {
	return strings.HasPrefix(name, "block_idx.") || strings.HasPrefix(name, "cluster_idx.")
}
