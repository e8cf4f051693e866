package certificate

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Held is a thread of a class that stays at a location, or the operation that one issued there and that stays in flight.
type Held struct {
	Class, Location int
	InFlight        bool
}

// Bound is how far everyone can get while something is held, as places: 2l at location l, 2l+1 registered in the barrier there.
type Bound struct {
	Others []int // by class: its threads of which nothing is held; -1 where there is none
	Own    []int // the threads that are held, or that issued what is
}

// Cap holds everyone at the waits on an mbarrier for a phase, or a later one, of which the mbarrier does not get past
// the one before.
type Cap struct{ Mbar, Phase int }

// Frozen is the bounds by which properties hold.
type Frozen struct {
	Single map[Held]Bound
	Capped map[Cap]Bound
}

// kept is something that is held: a thread at a location, or what it issued there.
type kept struct {
	Held
	issued bool
}

// setting is a bound with what is held in it.
type setting struct {
	*system
	Bound
	held []kept
	cap  *Cap
}

// value is what a counter is at most within a bound.
func (b *setting) value(x counter) int {
	n, store := 0, b.stored(x)
	if x.kind == flagged {
		n = b.p.Flags[x.object].Initial
	}
	add := func(c, threads, place int) {
		if list := b.gives[c][x]; len(list) == 0 || threads == 0 {
			return
		}
		if v := b.given(c, x, place); store {
			n = max(n, v)
		} else {
			n += threads * v
		}
	}
	for c, place := range b.Others {
		add(c, b.others(c), place)
	}
	for i, k := range b.held {
		add(k.Class, 1, b.Own[i])
		if k.issued {
			for _, e := range b.effects(k.Class, k.Location) {
				if e.counter == x {
					n -= e.by // it is not complete
				}
			}
		}
	}
	return n
}

// others is how many threads of a class are not held.
func (s *setting) others(c int) int {
	n := s.p.Classes[c].Count
	for _, k := range s.held {
		if k.Class == c {
			n--
		}
	}
	return n
}

// stops reports whether a thread of class c gets no further than a place while everyone is within the bound.
func (b *setting) stops(c, place int) bool {
	ops := b.p.Classes[c].Ops
	l := place / 2
	if l == len(ops) {
		return true
	}
	if ops[l].Kind == protocol.Drain {
		return slices.ContainsFunc(b.held, func(k kept) bool { return k.issued && k.Class == c && slices.Contains(ops[l].Drains, k.Location) })
	}
	if b.cap != nil && ops[l].Kind == protocol.Wait && ops[l].Object == b.cap.Mbar && b.canon.WaitPhase(c, l) >= b.cap.Phase {
		return true
	}
	x, least, none := b.guard(c, place)
	return !none && b.value(x) < least
}

// check reports why a bound is none.
func (b *setting) check() error {
	if len(b.Others) != len(b.p.Classes) || len(b.Own) != len(b.held) {
		return fmt.Errorf("the bound is not of this protocol")
	}
	for c, place := range b.Others {
		switch n := b.others(c); {
		case n < 0 || n == 0 && place != -1:
			return fmt.Errorf("the bound has threads that %s does not have", b.p.Classes[c].Name)
		case n == 0:
			continue
		case place < 0 || place > b.final[c]:
			return fmt.Errorf("the bound has %s where it never is", b.p.Classes[c].Name)
		case !b.stops(c, place):
			return fmt.Errorf("%s gets further than location %d", b.p.Classes[c].Name, place/2)
		}
	}
	for i, k := range b.held {
		place := b.Own[i]
		switch {
		case place < 0 || place > b.final[k.Class] || !k.issued && place > at(k.Location) || k.issued && place < passed(k.Location):
			return fmt.Errorf("the bound has the thread of %s where it is not", b.p.Classes[k.Class].Name)
		case !k.issued && place == at(k.Location):
		case !b.stops(k.Class, place):
			return fmt.Errorf("the thread of %s gets further than location %d", b.p.Classes[k.Class].Name, place/2)
		}
	}
	return nil
}

// covers reports whether a bound is at least another one.
func (b *Bound) covers(a *Bound) bool {
	at := func(x, y int) bool { return x >= y }
	return slices.EqualFunc(b.Others, a.Others, at) && slices.EqualFunc(b.Own, a.Own, at)
}

// single checks the bound with one thing held. One for an operation in flight is one of executions that had its thread
// before it, and must be at least the bound for these.
func (s *system) single(f *Frozen, h Held) (*setting, error) {
	bound, ok := f.Single[h]
	if !ok {
		return nil, fmt.Errorf("there is no bound for %s at %d", s.p.Classes[h.Class].Name, h.Location)
	}
	b := &setting{system: s, Bound: bound, held: []kept{{h, h.InFlight}}}
	if err := b.check(); err != nil {
		return nil, err
	}
	if h.InFlight {
		before := f.Single[Held{h.Class, h.Location, false}]
		if !bound.covers(&before) {
			return nil, fmt.Errorf("the bound with the operation of %s at %d in flight is below that before it", s.p.Classes[h.Class].Name, h.Location)
		}
	}
	return b, nil
}
