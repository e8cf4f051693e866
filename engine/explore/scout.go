package explore

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// scout looks for violations where nothing can be proved: it runs the real semantics with one thread held back at
// each location in turn, which is how barriers are overrun, and then lets it go. What it finds is real; what it does
// not find means nothing. Looking at a slot is its unit of work.
type scout struct {
	*judge
	found map[protocol.Property]engine.Answer
	open  map[protocol.Property]bool
	clock
	work  int  // slots looked at
	next  int  // work at which the clock is looked at again
	late  bool // by the clock
	hasty bool // only looks at where runs come to rest
	occ   []int32
}

// scoutWork bounds one scouting, in slots looked at.
const scoutWork = 1 << 25

// maxOverrun bounds the threads of one step that are tried as the one whose arrival is too many.
const maxOverrun = 2000

// How many slots a scout looks at in the time of one state of a search, and of a step of a frozen run.
const (
	slotsPerState = 512
	slotsPerMicro = slotsPerState / microsPerState
)

// spent reports whether a scouting is over: its work is done, or its time.
func (s *scout) spent() bool {
	if s.work >= s.next {
		s.next = s.work + clockEvery*slotsPerMicro
		s.late = s.ended() != ""
	}
	return s.late || s.work > scoutWork
}

func (j *judge) scout(c clock, lim engine.Limits, found map[protocol.Property]engine.Answer) (work int) {
	s := &scout{judge: j, clock: c, found: found, open: map[protocol.Property]bool{}}
	dull := impossible(j.p)
	for _, prop := range protocol.Properties {
		_, known := found[prop]
		_, never := dull[prop]
		s.open[prop] = !known && !never
	}
	if s.open[protocol.Race] {
		j.tabulate(lim.Memory)
	}
	s.hasty = true
	for c := range j.p.Classes {
		s.counts(c)
	}
	s.hasty = false
	start := s.newExplorer()
	s.run(start, -1, -1, protocol.AtLocation)
	s.rest(start)
	for c := range j.p.Classes {
		s.chain(c)
	}
	return s.work
}

// counts holds one thread of class c back where the class first comes to a barrier that counts some of the CTA's threads:
// where the others alone make up the count, they go on without it.
func (s *scout) counts(c int) {
	seen := map[int]bool{}
	for l, o := range s.p.Classes[c].Ops {
		if o.Kind != protocol.NamedArrive && o.Kind != protocol.NamedSync || seen[o.Object] {
			continue
		}
		seen[o.Object] = true
		if n := s.p.Named[o.Object]; n.Threads == 0 || n.ID >= protocol.WarpBarrier || s.work > scoutWork/2 {
			continue
		}
		e := s.newExplorer()
		s.run(e, c, l, protocol.AtLocation)
		if e.broken || s.m.At(e.state, c, l) == 0 {
			continue
		}
		s.run(e, -1, -1, protocol.AtLocation)
		s.rest(e)
	}
}

// chain holds one thread of class c back at each location in turn.
func (s *scout) chain(c int) {
	e := s.newExplorer()
	for l := range s.p.Classes[c].Ops {
		if s.spent() {
			return
		}
		s.run(e, c, l, protocol.AtLocation)
		if e.broken || s.m.At(e.state, c, l) == 0 {
			return
		}
		late := e.clone()
		s.run(late, -1, -1, protocol.AtLocation)
		s.rest(late)
		if !s.m.Enabled(e.state, c, l) {
			return
		}
		s.step(e, engine.Step{Class: c, Op: l, N: 1})
		if s.p.Classes[c].Ops[l].Kind != protocol.Issue || e.broken {
			continue
		}
		slow := e.clone()
		s.run(slow, c, l, protocol.InFlight)
		s.run(slow, -1, -1, protocol.AtLocation)
		s.rest(slow)
		s.step(e, engine.Step{Class: c, Op: l, N: 1, Completion: true})
	}
}

// run moves everyone as far as possible, but keeps one thread of class c at location l, or one of its operations in
// flight.
func (s *scout) run(e *explorer, c, l int, where protocol.Where) {
	for moved := true; moved; {
		moved = false
		s.work += len(e.taken)
		for i := e.next(0); i >= 0; i = e.next(i + 1) {
			s.work++
			at, n := &s.m.Slots[i], e.state[i]
			if at.Class == c && at.Op == l && at.Where == where {
				n--
			}
			if n <= 0 || at.Where == protocol.Registered || at.Where == protocol.AtLocation &&
				(at.Op == len(s.p.Classes[at.Class].Ops) || !s.m.Enabled(e.state, at.Class, at.Op)) {
				continue
			}
			if s.spent() || e.broken {
				return
			}
			if at.Where == protocol.AtLocation {
				n = s.m.Together(at.Class, at.Op, n)
			}
			s.step(e, engine.Step{Class: at.Class, Op: at.Op, N: n, Completion: at.Where == protocol.InFlight})
			moved = true
		}
	}
}

// step executes one step and looks at where it leads.
func (s *scout) step(e *explorer, step engine.Step) {
	s.work += step.N
	e.steps = append(e.steps, step)
	ok, broken := s.play(e.state, step)
	for _, slot := range s.m.Touched {
		e.note(slot)
	}
	e.broken = broken || !ok
	if e.broken {
		for n := 1; ok && n <= min(step.N, maxOverrun) && s.open[protocol.Arrivals]; n++ {
			e.steps[len(e.steps)-1].N = n
			s.claim(e, protocol.Arrivals, nil)
		}
		return
	}
	if s.hasty {
		return
	}
	if s.open[protocol.Attribution] && len(s.m.Credits) > 0 && step.N == 1 {
		if _, bad, _ := s.misattributed(step.Class, step.Op); bad {
			s.claim(e, protocol.Attribution, nil)
		}
	}
	s.occ = e.occupied(s.occ[:0])
	s.work += len(e.taken) + len(s.occ)
	if s.open[protocol.Phase] {
		if _, bad := s.phase(e.state, s.occ); bad {
			s.claim(e, protocol.Phase, nil)
		}
	}
	if s.open[protocol.Lifetime] {
		if _, bad := s.lifetime(e.state, s.occ); bad {
			s.claim(e, protocol.Lifetime, nil)
		}
	}
	if s.open[protocol.Race] {
		if pair, _ := s.race(e.state, s.occ); pair != nil {
			s.claim(e, protocol.Race, pair)
		}
	}
}

// rest judges where a run came to rest.
func (s *scout) rest(e *explorer) {
	if e.broken || s.spent() {
		return
	}
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Livelock, protocol.Bytes, protocol.Quiet} {
		if s.open[prop] {
			if _, bad := s.violates(e.state, prop, nil); bad {
				s.claim(e, prop, nil)
			}
		}
	}
}

func (s *scout) claim(e *explorer, prop protocol.Property, pair *engine.Pair) {
	t := &engine.Trace{Steps: slices.Clone(e.steps), Pair: pair}
	if object, yes := s.shows(t, prop); yes {
		s.found[prop] = engine.Answer{Verdict: engine.Violated, Trace: s.reduce(t, prop), Object: object}
		s.open[prop] = false
	}
}
