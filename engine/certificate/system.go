package certificate

import (
	"fmt"
	"math"
	"sort"

	"github.com/fencepost-dev/fencepost/protocol"
)

// A place of a class is 2l for its threads at location l, and 2l+1 for those registered in the named barrier there.
func at(l int) int { return 2 * l }

func passed(l int) int { return 2 * (l + 1) }

// counter is one counter of M.
type counter struct {
	kind   byte
	object int
	phase  int
}

// The counters of M: arrivals on an mbarrier whose phase is their sum; contributions to one phase of any other, and the
// arrivals among them; registrations in one generation of a named or of the cluster barrier; the value of a flag.
const (
	summed     = 's'
	gathered   = 'g'
	arriving   = 'a'
	registered = 'n'
	clustered  = 'c'
	flagged    = 'f'
)

// gain is what a thread has given to a counter once it is at a place: in all, or, to a flag that is stored to, as its value.
type gain struct{ place, total int }

// never is a threshold that is not met.
const never = math.MaxInt

// system is M: the programs of a protocol with the phases and generations that the canonical execution gives them.
type system struct {
	p     *protocol.Protocol
	m     *protocol.Machine
	canon *protocol.Execution
	final []int  // by class: the place where that execution leaves its threads
	sums  []bool // by mbarrier: its phase is the sum of its arrivals
	last  []int  // by mbarrier: its phase in the end
	need  map[counter]int
	gives []map[counter][]gain // by class
	enter map[[2]int]int       // generation in which a class registers at a location
	store []int                // by flag: the class that stores to it, -1 for none
	most  []int                // by flag: its largest value
	waits []map[int][]int      // by class and mbarrier: the locations of its waits that are reached
}

// newSystem makes M, or says why the protocol has none.
func newSystem(p *protocol.Protocol) (*system, error) {
	m := protocol.NewMachine(p)
	s := &system{p: p, m: m, canon: m.Canonical(), need: map[counter]int{}, enter: map[[2]int]int{}}
	if s.canon.Broken {
		return nil, fmt.Errorf("the canonical execution exceeds a pending count")
	}
	for range p.Classes {
		s.gives = append(s.gives, map[counter][]gain{})
	}
	for _, step := range []func() error{s.ends, s.mbarriers, s.barriers, s.flags} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	s.give()
	return s, nil
}

// ends finds where the canonical execution leaves each class: its threads move together.
func (s *system) ends() error {
	for _, b := range s.canon.Batches {
		if b.N != s.p.Classes[b.Class].Count {
			return fmt.Errorf("the threads of %s do not go together", s.p.Classes[b.Class].Name)
		}
	}
	s.final = make([]int, len(s.p.Classes))
	for i, slot := range s.m.Slots {
		n := s.canon.Final[i]
		switch {
		case n == 0:
			continue
		case slot.Where == protocol.InFlight || n != s.p.Classes[slot.Class].Count:
			return fmt.Errorf("the canonical execution leaves %s in several places", s.p.Classes[slot.Class].Name)
		}
		s.final[slot.Class] = at(slot.Op)
		if slot.Where == protocol.Registered {
			s.final[slot.Class]++
		}
	}
	inits := make([]int, len(s.p.Mbars))
	for c := range s.p.Classes {
		for _, o := range s.p.Classes[c].Ops {
			if o.Kind == protocol.Init {
				if inits[o.Object] += s.p.Classes[c].Count; inits[o.Object] > 1 {
					return fmt.Errorf("%s is initialised more than once", s.p.Mbars[o.Object].Name)
				}
			}
		}
	}
	return nil
}

// reached reports whether the canonical execution, and so any, brings threads of class c to location l.
func (s *system) reached(c, l int) bool { return s.final[c] >= at(l) }

// executed reports whether it has them execute the operation there.
func (s *system) executed(c, l int) bool { return s.final[c] >= passed(l) }

// contribution is what an operation, or one effect of it, gives to an mbarrier.
type contribution struct {
	mbar, arrivals int
	phase          int  // in the canonical execution
	known          bool // that it is one
	expects        bool // it only raises the bytes
}

// contributions lists what the operation at l of class c gives to mbarriers, in the order in which it does.
func (s *system) contributions(c, l int) (out []contribution) {
	o := &s.p.Classes[c].Ops[l]
	add := func(x, mbar, arrivals int) {
		span := s.canon.Credit[c][l][x]
		out = append(out, contribution{mbar: mbar, arrivals: arrivals, phase: span.First, known: span.First == span.Last && span.First >= 0,
			expects: o.Kind == protocol.ExpectTx})
	}
	switch o.Kind {
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
		add(0, o.Object, o.Count)
	case protocol.ExpectTx, protocol.CompleteTx:
		if o.Bytes > 0 {
			add(0, o.Object, 0)
		}
	case protocol.Issue:
		for x, e := range o.Effects {
			if e.Bytes > 0 || e.Arrivals > 0 {
				add(x, e.Mbar, e.Arrivals)
			}
		}
	}
	return out
}

// mbarriers says how each of them completes its phases in M.
func (s *system) mbarriers() error {
	s.sums, s.last = make([]bool, len(s.p.Mbars)), make([]int, len(s.p.Mbars))
	total := make([]int, len(s.p.Mbars))
	for o := range s.p.Mbars {
		s.last[o] = s.m.Phase(s.canon.Final, o)
		s.sums[o] = !arrivalsOn(s.p, o).mixed
		if !s.sums[o] && s.m.Pending(s.canon.Final, o) == 0 && s.m.Tx(s.canon.Final, o) < 0 {
			return fmt.Errorf("%s ends with more bytes complete than expected", s.p.Mbars[o].Name)
		}
	}
	for c := range s.p.Classes {
		n := s.p.Classes[c].Count
		for l := range s.p.Classes[c].Ops {
			if !s.executed(c, l) {
				break
			}
			for _, k := range s.contributions(c, l) {
				total[k.mbar] += n * k.arrivals
				if s.sums[k.mbar] {
					continue
				}
				if !k.known {
					return fmt.Errorf("threads of %s contribute to several phases of %s with one operation", s.p.Classes[c].Name, s.p.Mbars[k.mbar].Name)
				}
				s.need[counter{gathered, k.mbar, k.phase}] += n
				if k.arrivals > 0 {
					s.need[counter{arriving, k.mbar, k.phase}] += n
				}
			}
		}
	}
	for o, b := range s.p.Mbars {
		if a := arrivalsOn(s.p, o); s.sums[o] && a.count > 0 && b.Count%a.count != 0 && total[o] > b.Count {
			return fmt.Errorf("arrivals on %s may exceed its pending count", b.Name)
		}
	}
	return nil
}

// barriers gives every registration its generation. Of a barrier of all live threads the nth of a thread is in generation n,
// as no generation completes without each of them; of one that counts, that of the canonical execution.
func (s *system) barriers() error {
	live, threads := make([]int, s.p.CTAs), 0
	for c := range s.p.Classes {
		if class := &s.p.Classes[c]; len(class.Ops) > 0 {
			live[class.CTA] += class.Count
			threads += class.Count
		}
	}
	for c := range s.p.Classes {
		nth, cluster := map[int]int{}, 0
		for l, o := range s.p.Classes[c].Ops {
			switch {
			case o.Kind == protocol.ClusterArrive:
				s.enter[[2]int{c, l}] = cluster
				s.need[counter{clustered, 0, cluster}] = threads
				cluster++
			case o.Kind == protocol.ClusterWait:
				s.enter[[2]int{c, l}] = cluster - 1 // they alternate (Validate)
			case o.Kind != protocol.NamedArrive && o.Kind != protocol.NamedSync || s.p.Named[o.Object].Threads > 0:
			case o.Kind == protocol.NamedArrive:
				return fmt.Errorf("threads arrive on a CTA-wide barrier without waiting")
			default:
				s.enter[[2]int{c, l}] = nth[o.Object]
				s.need[counter{registered, o.Object, nth[o.Object]}] = live[s.p.Named[o.Object].CTA]
				nth[o.Object]++
			}
		}
	}
	total := make([]int, len(s.p.Named))
	for _, b := range s.canon.Batches {
		o := &s.p.Classes[b.Class].Ops[b.Op]
		if b.Completion || o.Kind != protocol.NamedArrive && o.Kind != protocol.NamedSync || s.p.Named[o.Object].Threads == 0 {
			continue
		}
		need := s.p.Named[o.Object].Threads
		g := total[o.Object] / need
		total[o.Object] += b.N
		if (total[o.Object]-1)/need != g {
			return fmt.Errorf("one operation registers in several generations of named barrier %d", s.p.Named[o.Object].ID)
		}
		s.enter[[2]int{b.Class, b.Op}] = g
		s.need[counter{registered, o.Object, g}] = need
	}
	return nil
}

// bump is what one thread gives to one counter.
type bump struct {
	counter
	by int
}

// effects lists what the contributions of an operation give to counters.
func (s *system) effects(c, l int) (out []bump) {
	for _, k := range s.contributions(c, l) {
		if s.sums[k.mbar] {
			out = append(out, bump{counter{summed, k.mbar, 0}, k.arrivals})
			continue
		}
		out = append(out, bump{counter{gathered, k.mbar, k.phase}, 1})
		if k.arrivals > 0 {
			out = append(out, bump{counter{arriving, k.mbar, k.phase}, 1})
		}
	}
	return out
}

// give writes down what the threads of each class give to counters on their way to where they end.
func (s *system) give() {
	for c := range s.p.Classes {
		ops := s.p.Classes[c].Ops
		s.waits = append(s.waits, map[int][]int{})
		for l := range ops {
			if ops[l].Kind == protocol.Wait && s.reached(c, l) {
				s.waits[c][ops[l].Object] = append(s.waits[c][ops[l].Object], l)
			}
			switch o := &ops[l]; {
			case o.Kind == protocol.NamedSync && s.final[c] > at(l):
				s.gain(c, at(l)+1, bump{counter{registered, o.Object, s.enter[[2]int{c, l}]}, 1})
			case !s.executed(c, l):
			case o.Kind == protocol.NamedArrive:
				s.gain(c, passed(l), bump{counter{registered, o.Object, s.enter[[2]int{c, l}]}, 1})
			case o.Kind == protocol.ClusterArrive:
				s.gain(c, passed(l), bump{counter{clustered, 0, s.enter[[2]int{c, l}]}, 1})
			case o.Kind == protocol.FlagAdd || o.Kind == protocol.FlagStore:
				s.gain(c, passed(l), bump{counter{flagged, o.Object, 0}, o.Count})
			default:
				for _, b := range s.effects(c, l) {
					s.gain(c, passed(l), b)
				}
			}
		}
		s.exit(c)
	}
}

func (s *system) gain(c, place int, b bump) {
	list := s.gives[c][b.counter]
	total := b.by
	if n := len(list); n > 0 && !s.stored(b.counter) {
		total += list[n-1].total
	}
	s.gives[c][b.counter] = append(list, gain{place, total})
}

// exit gives, for threads at their end, to the generations of barriers of all live threads that they take no part in: these
// complete without them.
func (s *system) exit(c int) {
	class := &s.p.Classes[c]
	if len(class.Ops) == 0 {
		return
	}
	for x := range s.need {
		wide := x.kind == clustered || x.kind == registered && s.p.Named[x.object].Threads == 0 && s.p.Named[x.object].CTA == class.CTA
		if _, own := s.gives[c][x]; wide && !own {
			s.gives[c][x] = []gain{{at(len(class.Ops)), 1}}
		}
	}
}

// given is what one thread of a class gives on its way to a place; of a flag that is stored to, the value it leaves, and its first
// where it does not store on that way.
func (s *system) given(c int, x counter, place int) int {
	list := s.gives[c][x]
	i := sort.Search(len(list), func(i int) bool { return list[i].place > place })
	switch {
	case i > 0:
		return list[i-1].total
	case s.stored(x):
		return s.p.Flags[x.object].Initial
	}
	return 0
}

// stored reports whether a counter is that of a flag that is stored to.
func (s *system) stored(x counter) bool { return x.kind == flagged && s.store[x.object] >= 0 }

// full is the threshold of a phase of an mbarrier that is no sum, or of a generation: the last one, which is not complete in the
// end, has none that is met.
func (s *system) full(x counter) int {
	switch {
	case x.kind == gathered && x.phase >= s.last[x.object]:
		return never
	case x.kind == registered && s.p.Named[x.object].Threads > 0 && s.total(x) < s.need[x]:
		return never
	}
	return s.need[x]
}

// total is what all threads give to a counter in the end.
func (s *system) total(x counter) (n int) {
	for c := range s.p.Classes {
		n += s.p.Classes[c].Count * s.given(c, x, s.final[c])
	}
	return n
}

// guard is what a thread of class c waits for at a place; none is true where it waits for nothing.
func (s *system) guard(c, place int) (x counter, least int, none bool) {
	l := place / 2
	o := &s.p.Classes[c].Ops[l]
	switch o.Kind {
	case protocol.Wait:
		k := s.canon.WaitPhase(c, l)
		switch {
		case k < 0:
			return x, 0, true
		case s.sums[o.Object]:
			return counter{summed, o.Object, 0}, s.p.Mbars[o.Object].Count * (k + 1), false
		}
		x = counter{gathered, o.Object, k}
		return x, s.full(x), false
	case protocol.NamedSync:
		x = counter{registered, o.Object, s.enter[[2]int{c, l}]}
		return x, s.full(x), place == at(l)
	case protocol.ClusterWait:
		x = counter{clustered, 0, s.enter[[2]int{c, l}]}
		return x, s.need[x], false
	case protocol.Spin, protocol.FlagSwap:
		least, _ = s.spin(o)
		return counter{flagged, o.Object, 0}, least, false
	}
	return x, 0, true
}
