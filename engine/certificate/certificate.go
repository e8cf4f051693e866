// Package certificate checks what an engine says holds. It shares no code with the engines: an engine writes down why it says so,
// and this package looks whether that is true, with nothing but the semantics of package protocol.
//
// # Closed sets
//
// States is a set of counted states. It shows a property if the initial state is in it, every step from a state of it leads
// into it, and no state or step of it breaks the property. Of a set of more than Listed states only the number and a digest
// are kept; then all reachable states are walked again here, and must be these.
//
// # Bounds
//
// Frozen says how far everyone can get while something is held: one thread at a location, or one operation in flight.
// Let F be the real semantics, and M the system with the same programs in which each wait is "counter ≥ threshold" and
// operations only raise counters (package explore gives the reasons for M; system.go defines it here once more). A Bound
// gives a place to each group of threads. If at these places the counters are below the threshold that each group waits
// for, unless it is what is held, then no execution of M that respects what is held gets beyond them: the first to do so
// would have found its counter at the threshold with everyone within the bound, and counters only rise with places. So a
// bound is checked by looking at it once, no run is repeated here, and how the engine came by it does not matter: not in
// which order it ran, nor which run it took for another one's because of a symmetry.
//
// A Drain is the one guard that holding an operation disables. Of threads of the class that issued it only those that the
// bound with the thread still before the operation lets past the Drain may have passed it: the bound of an operation in
// flight must be at least that one, and may stop at the Drain.
//
// # What is shown then
//
// That F is M (same.go): by induction over the length of an execution they take the same steps up to a state in which they
// would differ, and each way to differ is a state in which someone is somewhere with something held, beyond its bound. Then
// all executions end like the canonical one, which is shown to end by the bound with nothing held. Races and lifetimes are
// states with two things somewhere at once, and again beyond bounds.
//
// # For every number of rounds
//
// Rounds adds to the bounds of an instance in which the rounds that repeat stand there twice what makes them those of all larger
// instances (rounds.go, after explore.Every). That larger instances are made by putting in copies of these rounds is what
// lowering says; it is compared with what is lowered for larger numbers, where that is checked at all.
package certificate

import (
	"errors"
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Certificate is why properties of a protocol hold: each by one of its parts. A property that nothing in a protocol can break needs
// none.
type Certificate struct {
	Frozen *Frozen // may be nil
	States *States // may be nil
	// Unlocked says that it is a certificate of what remains of the protocol without its locks (protocol.Unlocked): what holds there does in the whole.
	Unlocked bool
	// Rounds are those for which the certificate is one of all instances with more of them. Then only the bounds count.
	Rounds []Rounds
}

// Check says of each of the properties that are said to hold of p why the certificate does not show it. No entry means
// that it does.
func (c *Certificate) Check(p *protocol.Protocol, claimed []protocol.Property) map[protocol.Property]error {
	open := map[protocol.Property]error{}
	if err := p.Validate(); err != nil {
		for _, prop := range claimed {
			open[prop] = err
		}
		return open
	}
	if c.Unlocked {
		rest := p.WithoutLocks()
		if rest == nil {
			for _, prop := range claimed {
				open[prop] = errors.New("the locks of the protocol cannot be left out")
			}
			return open
		}
		p = rest.Protocol
	}
	for _, prop := range claimed {
		if !absent(p, prop) {
			open[prop] = errors.New("nothing is certified")
		}
	}
	if c.Frozen != nil && len(open) > 0 {
		c.Frozen.check(p, c.Rounds, open)
	}
	if c.States != nil && len(open) > 0 && len(c.Rounds) == 0 {
		c.States.check(p, open)
	}
	return open
}

// failed notes why every open property is not shown.
func failed(open map[protocol.Property]error, format string, args ...any) {
	for prop := range open {
		open[prop] = fmt.Errorf(format, args...)
	}
}

// absent reports whether p has nothing that could break a property.
func absent(p *protocol.Protocol, prop protocol.Property) bool {
	has := func(test func(o *protocol.Op) bool) bool {
		for c := range p.Classes {
			for l := range p.Classes[c].Ops {
				if test(&p.Classes[c].Ops[l]) {
					return true
				}
			}
		}
		return false
	}
	kind := func(k protocol.Kind) bool { return has(func(o *protocol.Op) bool { return o.Kind == k }) }
	switch prop {
	case protocol.Livelock:
		return !has(func(o *protocol.Op) bool { return o.Kind.Polls() })
	case protocol.Phase:
		return !kind(protocol.Wait)
	case protocol.Bytes:
		return !has(moves)
	case protocol.Quiet, protocol.Attribution:
		return len(p.Mbars) == 0
	case protocol.Arrivals:
		return divides(p)
	case protocol.Race:
		for c := range p.Classes {
			for _, b := range p.Classes[c].Blocks {
				if len(b) > 0 {
					return false
				}
			}
		}
		return !has(func(o *protocol.Op) bool { return len(o.Access) > 0 })
	}
	return false
}

// moves reports whether an operation changes the transaction bytes of an mbarrier.
func moves(o *protocol.Op) bool {
	for _, e := range o.Effects {
		if e.Bytes > 0 {
			return true
		}
	}
	switch o.Kind {
	case protocol.ArriveExpectTx, protocol.ExpectTx, protocol.CompleteTx, protocol.ArriveDrop:
		return o.Bytes > 0
	}
	return false
}

// divides reports whether no order of arrivals can exceed a pending count: those on one mbarrier have one count, a divisor of
// what it expects, and nothing but arrivals completes a phase.
func divides(p *protocol.Protocol) bool {
	for o, b := range p.Mbars {
		a := arrivalsOn(p, o)
		if a.mixed || a.count > 0 && b.Count%a.count != 0 {
			return false
		}
	}
	return true
}

// arrivals is what all arrivals on an mbarrier have in common.
type arrivals struct {
	count int  // of each, 0 without any
	mixed bool // counts differ, or bytes or drops of the expected count decide about phases as well
}

func arrivalsOn(p *protocol.Protocol, mbar int) (a arrivals) {
	note := func(count int, other bool) {
		a.mixed = a.mixed || other || count > 0 && a.count > 0 && a.count != count
		a.count = max(a.count, count)
	}
	for c := range p.Classes {
		for l := range p.Classes[c].Ops {
			o := &p.Classes[c].Ops[l]
			for _, e := range o.Effects {
				if e.Mbar == mbar {
					note(e.Arrivals, e.Bytes > 0)
				}
			}
			switch o.Kind {
			case protocol.Arrive:
				if o.Object == mbar {
					note(o.Count, false)
				}
			case protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
				a.mixed = a.mixed || o.Object == mbar
			}
		}
	}
	return a
}
