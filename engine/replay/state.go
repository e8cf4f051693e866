// Package replay re-runs a counterexample step by step with every thread an individual, from the meaning written in
// package protocol and from nothing else: it shares no code with the engines that find counterexamples, so a
// mistake in one of them shows as a trace that does not replay.
package replay

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// State is everything a protocol remembers at one moment.
type State struct {
	Mbars      []Mbar
	Registered []int      // per named barrier, the threads registered in it
	Flags      []int      // per flag, its value
	Threads    [][]Thread // per class, every thread
	InFlight   [][]int    // per class and location, the operations issued there that have not completed
	Generation []int      // per cluster, of its barrier; a CTA that is in none is a cluster by itself

	p       *protocol.Protocol
	broken  int      // the mbarrier whose pending count was exceeded, -1 while there is none
	credits []credit // the contributions of the last step
}

// Mbar holds the fields of one mbarrier object (PTX ISA 9.7.13.15.2).
type Mbar struct {
	Phase, Pending, Tx, Expected int
	Initialised                  bool
}

// Thread is one thread of a class.
type Thread struct {
	Location int
	Blocked  bool // registered in the named barrier at Location, not yet released
	Arrivals int  // cluster barrier: the generation after the last one the thread arrived in
}

// credit says that the operation at a class's location contributed to a phase of an mbarrier.
type credit struct{ class, op, mbar, phase int }

func newState(p *protocol.Protocol) *State {
	s := &State{
		p:          p,
		Mbars:      make([]Mbar, len(p.Mbars)),
		Registered: make([]int, len(p.Named)),
		Flags:      make([]int, len(p.Flags)),
		Threads:    make([][]Thread, len(p.Classes)),
		InFlight:   make([][]int, len(p.Classes)),
		Generation: make([]int, p.CTAs),
		broken:     -1,
	}
	for i, m := range p.Mbars {
		s.Mbars[i] = Mbar{Pending: m.Count, Expected: m.Count, Initialised: true}
	}
	for i, f := range p.Flags {
		s.Flags[i] = f.Initial
	}
	for c, class := range p.Classes {
		s.Threads[c] = make([]Thread, class.Count)
		s.InFlight[c] = make([]int, len(class.Ops))
		for _, op := range class.Ops {
			if op.Kind == protocol.Init {
				s.Mbars[op.Object].Initialised = false
			}
		}
	}
	s.settle()
	return s
}

// step moves one thread, or completes one operation in flight. It returns the index of the thread that moved.
func (s *State) step(class, op int, completion bool) (int, error) {
	if s.broken >= 0 {
		return 0, fmt.Errorf("nothing follows an arrival beyond the pending count of %s", s.p.Mbars[s.broken].Name)
	}
	if completion {
		return -1, s.complete(class, op)
	}
	t, ok := s.pick(class, op)
	if !ok {
		return 0, fmt.Errorf("no thread of %s is at operation %d", s.p.Classes[class].Name, op)
	}
	if why := s.blocks(class, op, s.Threads[class][t]); why != "" {
		return 0, fmt.Errorf("%s cannot go on: %s", s.p.Classes[class].Name, why)
	}
	s.execute(class, op, t)
	s.settle()
	return t, nil
}

// pick finds the first thread of a class that is at a location and free to move. Threads of one class run the same
// program, so which of them moves changes nothing but names.
func (s *State) pick(class, op int) (int, bool) {
	for t, th := range s.Threads[class] {
		if th.Location == op && !th.Blocked {
			return t, true
		}
	}
	return 0, false
}

// blocks says why a thread cannot execute the operation it is at, or "" when it can.
func (s *State) blocks(class, loc int, t Thread) string {
	op := &s.p.Classes[class].Ops[loc]
	switch op.Kind {
	case protocol.Wait:
		if b := s.Mbars[op.Object]; b.Phase%2 == op.Parity {
			return fmt.Sprintf("%s is in phase %d", s.p.Mbars[op.Object].Name, b.Phase)
		}
	case protocol.ClusterWait:
		if s.Generation[s.group(class)] < t.Arrivals {
			return "the cluster barrier's generation is not complete"
		}
	case protocol.Spin, protocol.FlagSwap:
		if v := s.Flags[op.Object]; !compare(v, op.Compare, op.Count) {
			return fmt.Sprintf("%s is %d", s.p.Flags[op.Object].Name, v)
		}
	case protocol.Drain:
		for _, d := range op.Drains {
			if n := s.InFlight[class][d]; n > 0 {
				return fmt.Sprintf("%d operations are in flight", n)
			}
		}
	}
	return ""
}

func compare(v int, op string, w int) bool {
	switch op {
	case "==":
		return v == w
	case "!=":
		return v != w
	case ">=":
		return v >= w
	case ">":
		return v > w
	case "<=":
		return v <= w
	}
	return v < w
}

// execute performs the operation of one thread that is not blocked at it.
func (s *State) execute(class, loc, t int) {
	op := &s.p.Classes[class].Ops[loc]
	th := &s.Threads[class][t]
	switch op.Kind {
	case protocol.Init:
		s.Mbars[op.Object].Initialised = true
	case protocol.Arrive:
		s.contribute(credit{class: class, op: loc, mbar: op.Object}, 0, op.Count)
	case protocol.ArriveExpectTx:
		s.contribute(credit{class: class, op: loc, mbar: op.Object}, op.Bytes, op.Count)
	case protocol.ArriveDrop:
		if s.Mbars[op.Object].Expected < op.Count {
			s.broken = op.Object
			break
		}
		s.Mbars[op.Object].Expected -= op.Count
		s.contribute(credit{class: class, op: loc, mbar: op.Object}, op.Bytes, op.Count)
	case protocol.ExpectTx:
		s.Mbars[op.Object].Tx += op.Bytes
	case protocol.CompleteTx:
		s.contribute(credit{class: class, op: loc, mbar: op.Object}, -op.Bytes, 0)
	case protocol.NamedArrive:
		s.Registered[op.Object]++
		s.settle() // the thread counts as long as it has not gone on, perhaps to its end
	case protocol.NamedSync:
		s.Registered[op.Object]++
		th.Blocked = true
		return
	case protocol.ClusterArrive:
		th.Arrivals = s.Generation[s.group(class)] + 1
		s.settle()
	case protocol.FlagAdd:
		s.Flags[op.Object] += op.Count
	case protocol.FlagStore:
		s.Flags[op.Object] = op.Count
	case protocol.FlagSwap:
		s.Flags[op.Object] = op.Value
	case protocol.Issue:
		s.InFlight[class][loc]++
	}
	th.Location++
}

func (s *State) complete(class, loc int) error {
	if s.InFlight[class][loc] == 0 {
		return fmt.Errorf("no operation that %s issued at %d is in flight", s.p.Classes[class].Name, loc)
	}
	s.InFlight[class][loc]--
	for _, e := range s.p.Classes[class].Ops[loc].Effects {
		if e.Bytes > 0 || e.Arrivals > 0 {
			s.contribute(credit{class: class, op: loc, mbar: e.Mbar}, -e.Bytes, e.Arrivals)
		}
	}
	return nil
}

// contribute changes the transaction bytes, then the pending count, then tests for the end of the phase.
func (s *State) contribute(c credit, tx, arrivals int) {
	if s.broken >= 0 {
		return
	}
	b := &s.Mbars[c.mbar]
	c.phase = b.Phase
	s.credits = append(s.credits, c)
	b.Tx += tx
	if arrivals > b.Pending {
		s.broken = c.mbar
		return
	}
	b.Pending -= arrivals
	if b.Pending == 0 && b.Tx == 0 {
		b.Phase++
		b.Pending = b.Expected
	}
}

// settle completes every named barrier and cluster generation that has all it needs, until none has: a released
// thread may reach its end, and an exit lowers what the next barrier needs.
func (s *State) settle() {
	for again := true; again; {
		again = false
		for i, n := range s.p.Named {
			if s.Registered[i] == 0 {
				continue
			}
			need := n.Threads
			if need == 0 {
				need = s.alive(n.CTA)
			}
			if s.Registered[i] >= need {
				s.release(i)
				again = true
			}
		}
		for g := range s.Generation {
			if s.assembled(g) {
				s.Generation[g]++
				again = true
			}
		}
	}
}

// assembled reports whether a cluster has living threads and all of them have arrived.
func (s *State) assembled(g int) bool {
	some := false
	for c, class := range s.p.Classes {
		if s.group(c) != g {
			continue
		}
		for i := range s.Threads[c] {
			if t := &s.Threads[c][i]; t.Location < len(class.Ops) {
				if some = true; t.Arrivals <= s.Generation[g] {
					return false
				}
			}
		}
	}
	return some
}

// release moves every thread that is blocked in a named barrier past its sync.
func (s *State) release(named int) {
	s.Registered[named] = 0
	for c, class := range s.p.Classes {
		for t := range s.Threads[c] {
			th := &s.Threads[c][t]
			if th.Blocked && class.Ops[th.Location].Object == named {
				th.Blocked = false
				th.Location++
			}
		}
	}
}

// alive counts the threads of a CTA that have not exited.
func (s *State) alive(cta int) int {
	n := 0
	for c, class := range s.p.Classes {
		if class.CTA == cta {
			for _, t := range s.Threads[c] {
				if t.Location < len(class.Ops) {
					n++
				}
			}
		}
	}
	return n
}

// group is the cluster that a class's CTA is in.
func (s *State) group(class int) int {
	if s.p.Cluster {
		return 0
	}
	return s.p.Classes[class].CTA
}

// cluster counts the threads of a cluster that have not exited, and how many of them arrived in this generation.
func (s *State) cluster(g int) (alive, arrived int) {
	for c, class := range s.p.Classes {
		if s.group(c) != g {
			continue
		}
		for _, t := range s.Threads[c] {
			if t.Location < len(class.Ops) {
				alive++
				if t.Arrivals > s.Generation[g] {
					arrived++
				}
			}
		}
	}
	return alive, arrived
}

// stuck reports whether no step is possible.
func (s *State) stuck() bool {
	for c := range s.Threads {
		for _, n := range s.InFlight[c] {
			if n > 0 {
				return false
			}
		}
		for _, t := range s.Threads[c] {
			if t.Location < len(s.p.Classes[c].Ops) && !t.Blocked && s.blocks(c, t.Location, t) == "" {
				return false
			}
		}
	}
	return true
}

// done reports whether every thread is at its end and nothing is in flight.
func (s *State) done() bool {
	for c := range s.Threads {
		for _, n := range s.InFlight[c] {
			if n > 0 {
				return false
			}
		}
		for _, t := range s.Threads[c] {
			if t.Location < len(s.p.Classes[c].Ops) {
				return false
			}
		}
	}
	return true
}
