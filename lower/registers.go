package lower

import (
	"maps"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// longLoop is the number of iterations from which a loop is looked at whether it only computes with registers.
const longLoop = 8

// computes runs a loop over a known range in one round where it only computes with what is not known anyway, as loops over
// the registers of a thread do: where a round with the loop's variable unknown records nothing, lets no lanes wait for each
// other, touches no tracked memory and changes nothing that was known, no other round would. It answers false, with nothing
// changed, where that is not so.
func (m *machine) computes(st *program.For, s *value.Scope) bool {
	if m.in.low.concrete[st] || m.surelySyncs(st) || leaves(st.Body) || len(st.Else) > 0 {
		return false
	}
	before := m.capture(st, s)
	if before == nil {
		return false
	}
	k, lost := m.mark(), maps.Clone(m.in.lost)
	_, _, ok := m.speculate(k, func() (control, value.Value) { return m.round(st, st.Body, s) })
	last := len(m.blocks) - 1
	ok = ok && m.met == k.met && len(m.maybes) == k.maybes && len(m.in.lost) == len(lost) && len(m.blocks[last]) == len(k.last)
	if ok {
		ok = before.Join(before, func(a, b value.Value) value.Value {
			ok = ok && (value.Same(a, b) || unknowable(a) && unknowable(b))
			return b
		}) && ok
	}
	if !ok {
		before.Restore()
		m.undo(k)
		m.in.lost = lost
		m.in.low.concrete[st] = true
	}
	return ok
}

// unknowable reports whether a value is one that only the running kernel knows.
func unknowable(v value.Value) bool {
	switch v.(type) {
	case value.Data, value.Register:
		return true
	}
	return false
}
