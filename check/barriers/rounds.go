package barriers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// enoughRounds is how often a warp has to come to waits for groups of copies in a loop.
const enoughRounds = 3

// turn is what a warp waits for in a loop: an mbarrier, at any place, or a group of copies or the CTA at one.
type turn struct {
	place, object uint32
	enough        int // how often it has to
}

// repeating are the waits in loops whose rounds the kernel's input decides.
func (s *search) repeating() map[uint32]ir.Repeated {
	if s.repeats == nil {
		s.repeats = s.kernel.Repeats()
	}
	return s.repeats
}

// remaking are the accesses of shared memory in loops whose rounds the kernel's input decides and in each of whose rounds the threads of a CTA meet, by place.
func (s *search) remaking() map[uint32]ir.Repeated {
	if s.accesses == nil {
		s.accesses = map[uint32]ir.Repeated{}
		at, meets := s.repeating(), map[*ir.Place]bool{}
		for k := range s.kernel.Insts {
			if in := &s.kernel.Insts[k]; in.Op == ir.BarrierCTA && at[in.Place].Loop != nil {
				meets[at[in.Place].Loop] = true
			}
		}
		if len(meets) > 0 {
			s.accesses = s.kernel.RepeatedAccesses()
			maps.DeleteFunc(s.accesses, func(_ uint32, r ir.Repeated) bool { return !meets[r.Loop] })
		}
	}
	return s.accesses
}

// remade counts in how many rounds of the loops in which the threads meet a warp of the run makes an access, from one barrier to the next; of one that is made when some barrier
// of the loop was come to twice, as in the last round alone, it is enough.
func (s *search) remade(r *Report) {
	accesses := s.remaking()
	if r.rounds = map[uint32]int{}; len(accesses) == 0 {
		return
	}
	at := s.repeating()
	for _, w := range r.Execution.Program.Warps {
		round, mine, last := map[*ir.Place]int{}, map[uint32]int{}, map[uint32]int{}
		met, late := map[uint32]int{}, map[*ir.Place]bool{}
		for k := range w.Commands {
			c := &w.Commands[k]
			if c.Kind == order.NamedSync || c.Kind == order.NamedArrive {
				loop := at[c.Place].Loop
				met[c.Place]++
				round[loop], late[loop] = round[loop]+1, late[loop] || met[c.Place] >= ir.EnoughMeetings
			}
			if of, is := accesses[c.Place]; is && (c.Kind.Access() || c.Kind == order.AsyncCopy) {
				if n := round[of.Loop]; mine[c.Place] == 0 || last[c.Place] != n {
					mine[c.Place], last[c.Place] = mine[c.Place]+1, n
				}
				if late[of.Loop] {
					mine[c.Place] = max(mine[c.Place], ir.EnoughMeetings)
				}
			}
		}
		for place, n := range mine {
			r.rounds[place] = max(r.rounds[place], n)
		}
	}
}

// rare is a loop in which the threads meet and no run makes some access in two rounds, with the reason: what one round leaves for the next was not seen; "" where there is none.
func (s *search) rare(runs []*Report, l exec.Launch) (ir.Repeated, string) {
	accesses := s.remaking()
	most := map[uint32]int{}
	for _, r := range runs {
		for place, n := range r.rounds {
			most[place] = max(most[place], n)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(accesses)) {
		if r := accesses[place]; most[place] > 0 && most[place] < ir.EnoughMeetings && (r.Memory || slices.ContainsFunc(r.Inputs, func(name string) bool { return opens(name, l) })) {
			return r, fmt.Sprintf("in no run that was seen to its end is the access at %s made in two rounds of this loop, in which the threads of a CTA meet; --param gives more", s.kernel.Where(&s.kernel.Places[place]))
		}
	}
	return ir.Repeated{}, ""
}

// repeated counts how often the warps of a run waited.
func (r *Report) repeated(at map[uint32]ir.Repeated) {
	r.turns = map[turn]int{}
	if len(at) == 0 {
		return
	}
	for _, w := range r.Execution.Program.Warps {
		mine, objects, groups := map[turn]int{}, map[uint32]int{}, map[int]int{}
		for k := range w.Commands {
			c := &w.Commands[k]
			switch in, loops := at[c.Place]; c.Kind {
			case order.MbarWait, order.MbarWaitToken:
				objects[c.A]++
				if loops {
					mine[turn{c.Place, c.A, ir.EnoughWaits}]++
				}
			case order.AsyncWait:
				if loops {
					groups[in.Inner]++
					mine[turn{place: c.Place, enough: enoughRounds}]++
				}
			case order.NamedSync, order.NamedArrive:
				if loops {
					mine[turn{place: c.Place, enough: ir.EnoughMeetings}]++
				}
			}
		}
		for t, n := range mine {
			switch t.enough { // it may be waited for at other places, too: where the last round waits for all groups that are left, of the same loop
			case ir.EnoughWaits:
				n = objects[t.object]
			case enoughRounds:
				n = groups[at[t.place].Inner]
			}
			r.turns[t] = max(r.turns[t], n)
		}
	}
}

// unused is a loop of which no run that was seen to its end had so many rounds that what it waits for was used up twice, though the input may make it have
// more; nil: there is none.
func (s *search) unused(runs []*Report, l exec.Launch) *exec.Halt {
	r, why := s.seldom(runs, l)
	if why == "" {
		if r, why = s.rare(runs, l); why == "" {
			return nil
		}
	}
	return &exec.Halt{Place: r.Loop, Why: limit.Rounds.Says(why)}
}

// seldom is the first such loop, with the reason; "" where there is none.
func (s *search) seldom(runs []*Report, l exec.Launch) (ir.Repeated, string) {
	at := s.repeating()
	most := map[turn]int{}     // by mbarrier, or by place
	where := map[turn]uint32{} // a place
	reached := map[uint32]bool{}
	for _, r := range runs {
		for t, n := range r.turns {
			reached[t.place] = true
			key := t
			if t.enough == ir.EnoughWaits {
				key.place = 0
			}
			if at, met := where[key]; !met || t.place < at {
				where[key] = t.place
			}
			most[key] = max(most[key], n)
		}
	}
	missed := map[uint32]string{}
	for key, n := range most {
		switch {
		case n >= key.enough:
		case key.enough == ir.EnoughMeetings:
			missed[where[key]] = "in no run that was seen to its end does this loop, in which the threads of a CTA meet, go round twice; --param gives more"
		default:
			missed[where[key]] = "in no run that was seen to its end does this loop go round so often that each stage that it waits for is used twice; --param gives more"
		}
	}
	for place := range at {
		if !reached[place] {
			missed[place] = "in no run that was seen to its end do threads come to what this loop waits for; --param gives numbers with which they do"
		}
	}
	for _, place := range slices.Sorted(maps.Keys(missed)) {
		if r := at[place]; r.Memory || slices.ContainsFunc(r.Inputs, func(name string) bool { return opens(name, l) }) {
			return r, missed[place]
		}
	}
	return ir.Repeated{}, ""
}

// Scarce is a loop that a count ends in which threads of the run that decides wait for an mbarrier so seldom that its phases are not used up twice: a number that the
// kernel is compiled for says how often. nil: there is none.
func (r *Report) Scarce() *ir.Place {
	at := r.Execution.Kernel.CountedWaits()
	most, loop := map[uint32]int{}, map[uint32]*ir.Place{}
	for _, w := range r.Execution.Program.Warps {
		mine := map[uint32]int{}
		for k := range w.Commands {
			c := &w.Commands[k]
			if c.Kind != order.MbarWait && c.Kind != order.MbarWaitToken {
				continue
			}
			mine[c.A]++
			if turn, loops := at[c.Place]; loops && loop[c.A] == nil {
				loop[c.A] = turn.Loop
			}
		}
		for object, n := range mine {
			most[object] = max(most[object], n)
		}
	}
	for _, object := range slices.Sorted(maps.Keys(loop)) {
		if most[object] < ir.EnoughWaits {
			return loop[object]
		}
	}
	return nil
}

// unended is an input that says how often threads wait for mbarriers and with which they were not tried not to wait at all, though no number of it was found to be none that the kernel is
// meant for; "": there is none.
func (s *search) unended(r *Report, l exec.Launch) string {
	for _, turn := range s.turns() {
		for _, name := range turn.Inputs {
			if _, special := s.kernel.Special[name]; !special && opens(name, l) && !slices.Contains(r.Numbers[name], 0) && !slices.Contains(r.LeftOut[name], 0) {
				return name
			}
		}
	}
	return ""
}

// opens reports whether a launch leaves it open what an input is, where it may make a loop longer: the first CTAs have the most rounds.
func opens(input string, l exec.Launch) bool {
	base, _, _ := strings.Cut(input, ".")
	_, said := l.Params[input]
	return !said && base != "%ctaid" && base != "%clusterid" && !(l.Grid[0] != 0 && (base == "%nctaid" || base == "%nclusterid"))
}

// further makes one more run, with those numbers for what it is in want of with which threads wait most often.
func (t *tries) further(with exec.Launch) (done bool, err error) {
	for asked := 0; ; asked++ {
		want, done, err := t.run(with, asked)
		if done || err != nil || want.input == "" {
			return done, err
		}
		before := t.known[fmt.Sprint(with.Params)].Execution
		best, most := want.list[0], -1
		for _, n := range want.list {
			e := &exec.Execution{Launch: given(before.Launch, want.input, n), Loaded: before.Loaded}
			if rounds := t.kernel.Rounds(t.premise(e)); rounds > most {
				best, most = n, rounds
			}
		}
		with = given(with, want.input, best)
	}
}
