package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A branch without synchronization whose test has no value is taken both ways: each arm runs from the same state, and
// what they leave different becomes a choice between the two (a symbol or an integer for each thread), or unknown. A
// loop without synchronization of which the number of rounds is not known runs until nothing changes any more.

const (
	maxForks = 4_000
	// maxRounds bounds how often a loop's body runs to find out what it changes.
	maxRounds = 6
)

// capture copies what a statement may change of what a scope reaches; nil where that is too much.
func (m *machine) capture(st program.Stmt, s *value.Scope) *value.Heap {
	if m.forks++; m.forks > maxForks {
		return nil
	}
	h := value.EmptyHeap()
	if !m.narrow(h, st, s) {
		h.Scope(s)
	}
	m.spend((value.MaxHeap - h.Left) / 8)
	if h.Left < 0 {
		return nil
	}
	return h
}

// both takes a branch both ways. It answers false, with nothing changed, where that cannot be.
func (m *machine) both(st *program.If, test value.Value, s *value.Scope) (control, value.Value, bool) {
	h := m.capture(st, s)
	if h == nil {
		return next, nil, false
	}
	mark := m.mark()
	takers, others := m.takersOf(test)
	c1, v1, ok := m.speculate(mark, func() (control, value.Value) { return m.armOf(takers, st.Then, s) })
	then := h.Now()
	h.Restore()
	if !ok {
		m.undo(mark)
		return next, nil, false
	}
	c2, v2, ok := m.speculate(mark, func() (control, value.Value) { return m.armOf(others, st.Else, s) })
	apart, blurred := m.tellsWarpsApart(test), m.blurred
	merge := func(a, b value.Value) value.Value { return m.joined(test, a, b, 0) }
	_, unknown := test.(value.Data)
	unknown = unknown || m.inquiry != nil
	exact := unknown || len(m.maybes) == mark.maybes // values that can be told are told where memory is touched
	exact = exact && !m.divides(test, mark.met) && (unknown || len(m.in.losses) == mark.losses)
	if !ok || c1 != c2 || !exact || !h.Join(then, merge) || apart && m.blurred != blurred {
		h.Restore()
		m.undo(mark)
		return next, nil, false
	}
	m.settleMaybes(mark.maybes)
	if c1 == returns {
		return returns, merge(v1, v2), true
	}
	return c1, nil, true
}

// divides reports whether a test that can be told decides about an operation of a whole warp or an access to a tensor,
// met since. Such a branch is taken as it is, not left out: lanes that come to it would wait for those that left it out,
// because it was told for them only, or before they came; and who accesses what would not be told.
func (m *machine) divides(test value.Value, met int) bool {
	_, unknown := test.(value.Data)
	return !unknown && m.met != met && m.inquiry == nil
}

// rounds runs the body of a loop until a round changes nothing that the rounds before left known.
// Then the last one began with all that any began with, and what it may do is all that any of them may.
func (m *machine) rounds(st program.Stmt, over value.Value, s *value.Scope) bool {
	first := m.capture(st, s)
	if first == nil {
		return false
	}
	mark := m.mark()
	for round := range maxRounds {
		h := first
		if round > 0 {
			h = m.capture(st, s)
		}
		if h == nil {
			break
		}
		m.drop(mark)
		c, _, ok := m.speculate(mark, func() (control, value.Value) {
			return m.round(st, over, s)
		})
		changed := false
		same := func(a, b value.Value) value.Value {
			if value.Same(a, b) {
				return a
			}
			if changed = true; round < maxRounds/2 {
				return m.merged(a, b)
			}
			return m.forgotten(a, b)
		}
		if !ok || c == returns || !h.Join(h, same) {
			break
		}
		if !changed {
			m.settleMaybes(mark.maybes)
			return true
		}
	}
	first.Restore()
	m.undo(mark)
	return false
}

// drop takes back the accesses since a mark that may happen, or are of some part of a thread, but for those that go on.
func (m *machine) drop(since mark) {
	kept := len(since.last)
	m.blocks[since.ops] = slices.Concat(m.blocks[since.ops][:kept], slices.DeleteFunc(slices.Clone(m.blocks[since.ops][kept:]), func(a protocol.Access) bool {
		return (a.Maybe || a.Parts == protocol.Somewhere && a.Share != 0) && !a.Async
	}))
}

// round runs a loop's test and body once, whatever the test says.
func (m *machine) round(st program.Stmt, over value.Value, s *value.Scope) (control, value.Value) {
	var post []program.Stmt
	switch st := st.(type) {
	case *program.For:
		if post = st.Post; st.Target != nil {
			m.assign(st.Target, value.Element(over), s)
		}
	case *program.While:
		if st.Cond != nil {
			m.eval(st.Cond, s)
		}
	}
	if c, v := m.arm(syntax.BodyOf(st), s); c == returns {
		return c, v
	}
	return m.run(post, s)
}
