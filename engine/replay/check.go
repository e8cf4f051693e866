package replay

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// violation says whether the state breaks the property, and on which object: an mbarrier, named barrier, flag or
// buffer, by the property and the operation concerned; -1 for none.
func (s *State) violation(prop protocol.Property, pair *engine.Pair) (object int, err error) {
	if s.broken >= 0 && prop != protocol.Arrivals {
		return -1, fmt.Errorf("the trace ends in an arrival beyond the pending count, not in a violation of %s", prop)
	}
	found := false
	switch prop {
	case protocol.Deadlock:
		object, found = s.blocked(false)
	case protocol.Livelock:
		object, found = s.blocked(true)
	case protocol.Phase:
		object, found = s.phase()
	case protocol.Arrivals:
		object, found = s.broken, s.broken >= 0
	case protocol.Bytes:
		object, found = s.leftover(func(b Mbar, _ int) bool { return b.Tx != 0 })
	case protocol.Quiet:
		object, found = s.leftover(func(b Mbar, count int) bool { return b.Tx == 0 && b.Pending > 0 && b.Pending < count })
	case protocol.Lifetime:
		object, found = s.lifetime()
	case protocol.Attribution:
		object, found = s.misattributed()
	case protocol.Race:
		if pair == nil {
			return -1, fmt.Errorf("the trace names no pair of accesses")
		}
		if found = s.races(*pair); found {
			object = s.access(pair.First).Buffer
		}
	default:
		return -1, fmt.Errorf("unknown property %q", prop)
	}
	if !found {
		return -1, fmt.Errorf("the trace does not end in a violation of %s", prop)
	}
	return object, nil
}

// blocked is a state without steps in which some thread is not at its end: a livelock when one spins on a flag that
// nobody who is blocked still writes, else a deadlock. The object is that of the first such thread.
func (s *State) blocked(livelock bool) (int, bool) {
	if !s.stuck() {
		return -1, false
	}
	first, any := -1, false
	for c, class := range s.p.Classes {
		for _, t := range s.Threads[c] {
			if t.Location == len(class.Ops) {
				continue
			}
			op := &class.Ops[t.Location]
			if op.Kind.Polls() && !s.stillWritten(op.Object) {
				return op.Object, livelock
			}
			if !any && op.Kind != protocol.Drain && op.Kind != protocol.ClusterWait {
				first = op.Object
			}
			any = true
		}
	}
	return first, any && !livelock
}

// stillWritten reports whether an operation that some thread has not executed adds to or stores to the flag.
func (s *State) stillWritten(flag int) bool {
	for c, class := range s.p.Classes {
		for _, t := range s.Threads[c] {
			for _, op := range class.Ops[t.Location:] {
				if (op.Kind == protocol.FlagAdd || op.Kind == protocol.FlagStore) && op.Object == flag {
					return true
				}
			}
		}
	}
	return false
}

// phase looks for a thread at a wait that is two or more phases behind its barrier, or that may pass before the
// phase it is for.
func (s *State) phase() (int, bool) {
	want := protocol.Canonical(s.p)
	for c, class := range s.p.Classes {
		for _, t := range s.Threads[c] {
			if t.Location == len(class.Ops) || class.Ops[t.Location].Kind != protocol.Wait {
				continue
			}
			op := &class.Ops[t.Location]
			now, k := s.Mbars[op.Object].Phase, want.WaitPhase(c, t.Location)
			if k == protocol.NoPhase {
				continue
			}
			if now >= k+2 || now <= k-1 && now%2 != op.Parity {
				return op.Object, true
			}
		}
	}
	return -1, false
}

// misattributed looks for a contribution of the last step that went to another phase than in the canonical execution.
func (s *State) misattributed() (int, bool) {
	want := protocol.Canonical(s.p)
	for _, c := range s.credits {
		if k, known := want.CreditPhase(c.class, c.op, c.mbar); known && c.phase != k {
			return c.mbar, true
		}
	}
	return -1, false
}

func (s *State) leftover(bad func(b Mbar, count int) bool) (int, bool) {
	if !s.done() {
		return -1, false
	}
	for i, b := range s.Mbars {
		if !s.p.Mbars[i].Armed && bad(b, b.Expected) {
			return i, true
		}
	}
	return -1, false
}

// lifetime looks for a thread or an operation in flight that is about to use an object before its init, or in the
// shared memory of another CTA whose threads have all exited.
func (s *State) lifetime() (int, bool) {
	for c, class := range s.p.Classes {
		for l := range class.Blocks {
			if s.free(c, l) == 0 {
				continue
			}
			for _, m := range uses(class.Ops, l) {
				if !s.Mbars[m].Initialised || s.gone(class.CTA, s.p.Mbars[m].CTA) {
					return m, true
				}
			}
			if b, ok := s.goneBuffer(class.CTA, class.Blocks[l]); ok {
				return b, true
			}
		}
		for l, op := range class.Ops {
			if s.InFlight[c][l] == 0 {
				continue
			}
			for _, e := range op.Effects {
				if !s.Mbars[e.Mbar].Initialised || s.gone(class.CTA, s.p.Mbars[e.Mbar].CTA) {
					return e.Mbar, true
				}
			}
			if b, ok := s.goneBuffer(class.CTA, op.Access); ok {
				return b, true
			}
			if o, ok := s.stray(class.CTA, &op); ok {
				return o, true
			}
		}
	}
	return -1, false
}

// uses lists the mbarriers that the operation at a location uses; an init makes one usable, and is no use. What an
// asynchronous operation uses, it uses in flight.
func uses(ops []protocol.Op, l int) []int {
	if l == len(ops) {
		return nil
	}
	switch ops[l].Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
		return []int{ops[l].Object}
	}
	return nil
}

// gone reports whether the owner is another CTA than the user's and has exited.
func (s *State) gone(user, owner int) bool {
	if owner < 0 || owner == user {
		return false
	}
	for _, class := range s.p.Classes {
		if class.CTA == owner {
			return s.alive(owner) == 0
		}
	}
	return false // no thread of the owner is modelled, so none exits
}

// stray reports whether an operation in flight brings data to its own CTA when that is gone.
func (s *State) stray(cta int, op *protocol.Op) (object int, yes bool) {
	if s.alive(cta) > 0 {
		return -1, false
	}
	for _, e := range op.Effects {
		if e.Lands() && s.p.Mbars[e.Mbar].CTA == cta {
			return e.Mbar, true
		}
	}
	return -1, false
}

// Stray finds an operation in flight whose own CTA is gone while it brings data to it.
func (s *State) Stray() (class, op int, yes bool) {
	for c := range s.p.Classes {
		ops := s.p.Classes[c].Ops
		for l := range ops {
			if s.InFlight[c][l] > 0 {
				if _, ok := s.stray(s.p.Classes[c].CTA, &ops[l]); ok {
					return c, l, true
				}
			}
		}
	}
	return -1, -1, false
}

func (s *State) goneBuffer(user int, accesses []protocol.Access) (int, bool) {
	for _, a := range accesses {
		if s.gone(user, s.p.Buffers[a.Buffer].CTA) {
			return a.Buffer, true
		}
	}
	return -1, false
}
