package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// maxOdd is how often a test changes its answer at most to be one of single rounds: another one comes back (period).
const maxOdd = 2

// cameOut notes the answer of a test in a round of the loops around it. What one round leaves out is missed in the next one, and a number
// that it hands on otherwise is used in the next one, and again in the one behind that: they have to be there. Of a test of the launch (2 * k != n) the odd round is another one with each value.
func (m *machine) cameOut(n program.Node, test value.Value, answer bool) {
	if !m.comesRound() {
		return
	}
	_, unknown := value.Untyped(test).(value.Symbol)
	spelled := value.Text(value.Canonical(test))
	for _, l := range m.around {
		if s := l.instant(spelling{n}, spelled); s != nil && s.Moving > 0 && unknown {
			m.in.low.unlike[l.loop] = true
		}
		if s := l.instant(outcome{n}, value.Bool(answer)); s != nil && s.Moving > 0 && s.Changes() <= maxOdd {
			m.in.low.odd[l.loop] = max(m.in.low.odd[l.loop], s.Since-1) // from 0
		}
	}
}

// spelling and outcome are places of a test: of what it asks, and of its answers.
type (
	spelling struct{ program.Node }
	outcome  struct{ program.Node }
)

// condition is what became of one in the rounds of loops that go round as often as an unknown says.
type condition struct {
	cond    program.Expr
	answers [2]bool
	moves   bool // what it asks of changes from round to round
	unknown bool // it asks of an unknown of the launch, too: what is proved for every number of rounds is not so for each of its values
	at      protocol.Site
}

// conditionIs notes the answer of a condition at a place. One that comes out one way only, whatever its parts do, though what it is of changes from round
// to round, may come out otherwise in a round that is not tried.
func (m *machine) conditionIs(n program.Node, cond program.Expr, s *value.Scope, test value.Value, answer bool) {
	if !m.comesRound() || m.implied(test, answer) {
		return
	}
	t := m.in.low.conditions[n]
	if t == nil {
		t = &condition{cond: cond, at: m.bare(n)}
		m.in.low.conditions[n] = t
	}
	t.answers[value.Bool(answer)] = true
	if t.answers[0] && t.answers[1] {
		return
	}
	program.Walk(cond, func(e program.Node) bool {
		name, ok := e.(*program.Name)
		if !ok {
			return true
		}
		if at, known := s.Lookup(name.Ident); known {
			v := value.Untyped(at.Get())
			_, symbolic := v.(value.Symbol)
			t.unknown = t.unknown || symbolic
			for _, l := range m.around {
				if l.instant(name, v); l.free && l.made[name].Moving > 0 {
					t.moves = true
				}
			}
		}
		return false
	})
}

// implied reports whether tests around one leave it no other answer.
func (m *machine) implied(test value.Value, answer bool) bool {
	s, ok := value.Untyped(test).(value.Symbol)
	return ok && slices.ContainsFunc(m.led, func(a value.Answered) bool { return a.Implies(value.Answered{Test: s.Expr, Answer: answer}) })
}

// conditionValue notes the answer of a condition that is a number to what is around it: (k + Int32(k == m)) % stages.
func (m *machine) conditionValue(e *program.Binary, v value.Value, s *value.Scope) {
	switch {
	case !m.comesRound():
		return
	case value.IsComparison(e.Op), e.Op == "in", e.Op == "&&", e.Op == "||":
	default:
		return
	}
	switch v := value.Untyped(v).(type) {
	case value.Int:
		m.conditionIs(e, e, s, v, v != 0)
	case value.Symbol:
		if n, known := m.peek(v.Expr); known && m.inquiry == nil {
			m.conditionIs(e, e, s, v, n != 0)
		}
	}
}

// asserted forgets what became of the condition of an assertion: a round in which it is false is none of a kernel that goes on.
func (d *discoveries) asserted(n program.Node) {
	program.Walk(n, func(e program.Node) bool {
		delete(d.conditions, e)
		delete(d.compared, e)
		return true
	})
}

// oneWay lists the conditions that came out one way only, without those that are part of another.
func (r *recurring) oneWay() (out []*condition) {
	parts := map[program.Node]bool{}
	for at, t := range r.conditions {
		program.Walk(t.cond, func(n program.Node) bool {
			if n != at { // of an if, its condition as a number, too: as such it may have been noted before all it is of was known
				parts[n] = true
			}
			return true
		})
	}
	for n, t := range r.conditions {
		if t.moves && t.answers[0] != t.answers[1] && !parts[n] {
			out = append(out, t)
		}
	}
	return out
}
