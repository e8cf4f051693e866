package certificate

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// uses reports whether a thread about to execute an operation uses an mbarrier, or the operation does once it is in flight.
func uses(o *protocol.Op, mbar int) (now, later bool) {
	switch o.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
		return o.Object == mbar, false
	case protocol.Issue:
		return false, slices.ContainsFunc(o.Effects, func(e protocol.Effect) bool { return e.Mbar == mbar })
	}
	return false, false
}

// abroad lists the CTAs whose shared memory something uses and that may be gone before: others than its own and, of an operation
// in flight, that to which it brings bytes. A CTA without threads in the model is never gone.
func abroad(p *protocol.Protocol, h Held) (ctas []int) {
	class := &p.Classes[h.Class]
	note := func(cta int, own bool) {
		staffed := slices.ContainsFunc(p.Classes, func(c protocol.Class) bool { return c.CTA == cta })
		if cta >= 0 && (cta != class.CTA || own) && staffed && !slices.Contains(ctas, cta) {
			ctas = append(ctas, cta)
		}
	}
	accesses := class.Blocks[h.Location]
	if h.InFlight {
		accesses = class.Ops[h.Location].Access
		for _, e := range class.Ops[h.Location].Effects {
			note(p.Mbars[e.Mbar].CTA, e.Bytes > 0)
		}
	} else if h.Location < len(class.Ops) {
		for o := range p.Mbars {
			if now, _ := uses(&class.Ops[h.Location], o); now {
				note(p.Mbars[o].CTA, false)
			}
		}
	}
	for i := range accesses {
		note(p.Buffers[accesses[i].Buffer].CTA, false)
	}
	return ctas
}

// broken says which of the properties of final states one in which no step is possible breaks.
func broken(p *protocol.Protocol, m *protocol.Machine, s protocol.State) map[protocol.Property]bool {
	bad := map[protocol.Property]bool{}
	blocked := false
	writes := func(flag int) bool { // is there someone who has not yet written it for the last time
		for i, slot := range m.Slots {
			if s[i] == 0 || slot.Where == protocol.InFlight {
				continue
			}
			for _, o := range p.Classes[slot.Class].Ops[slot.Op:] {
				if o.Object == flag && (o.Kind == protocol.FlagAdd || o.Kind == protocol.FlagStore) {
					return true
				}
			}
		}
		return false
	}
	for i, slot := range m.Slots {
		ops := p.Classes[slot.Class].Ops
		if s[i] == 0 || slot.Op == len(ops) {
			continue
		}
		blocked = true
		if o := &ops[slot.Op]; slot.Where == protocol.AtLocation && o.Kind.Polls() && !writes(o.Object) {
			bad[protocol.Livelock] = true
		}
	}
	bad[protocol.Deadlock] = blocked && !bad[protocol.Livelock]
	for o, b := range p.Mbars {
		if blocked || b.Armed {
			continue
		}
		tx, pending := m.Tx(s, o), m.Pending(s, o)
		bad[protocol.Bytes] = bad[protocol.Bytes] || tx != 0
		bad[protocol.Quiet] = bad[protocol.Quiet] || tx == 0 && pending > 0 && pending < m.Expected(s, o)
	}
	return bad
}
