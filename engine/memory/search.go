package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// search is one run of the solver. What is decided of the execution under search is in shape, from and machine.
type search struct {
	ctx      context.Context
	program  *Program
	model    *Model
	options  Options
	machines map[int]*machine // by number of events
	states   map[string]int

	shape   *skeleton
	machine *machine
	from    []int // by event: the write that a read reads from, or -1
	phase   []int // by event: the phase of a barrier object that it belongs to or saw, or -1
	values  []int64
	known   []uint8

	closings  []closing
	undefined int // objects of the execution that are in a state PTX does not define
	circular  bool
	met       bool   // barriers are decided
	doubt     string // why an answer of no would not be certain
	halted    bool
	spent     int // of Options.Limit
	result    Result
}

func (s *search) done() bool {
	return s.halted || s.result.Witness != nil && !s.options.States
}

func (s *search) run() {
	walkers := make([]*walker, len(s.program.threads))
	left := maxWalked
	for t := range s.program.threads {
		w := pathsOf(s.program, t, s.options.Property, s.options.Bound, &left)
		walkers[t] = w
		switch {
		case w.flooded:
			s.doubt, s.halted = fmt.Sprintf("P%d has too many paths", w.thread.id), true
		case w.unclear != "":
			s.doubt = fmt.Sprintf("P%d: %s", w.thread.id, w.unclear)
		case w.cut != 0:
			s.doubt = fmt.Sprintf("the loop that P%d closes at line %d was followed for %d rounds, not further", w.thread.id, w.cut, s.options.Bound)
		}
	}
	paths := make([]*path, len(walkers))
	order := s.byCTA()
	market, spun := newMarket(s.program, walkers), 0
	var choose func(i int)
	choose = func(i int) {
		if i == len(order) {
			stops := func(p *path) bool { return p.end != exits }
			if s.options.Property != Termination || slices.ContainsFunc(paths, stops) && s.counted(paths) {
				s.skeleton(paths)
			}
			return
		}
		for _, p := range walkers[order[i]].out {
			if s.done() || !s.spend(1) {
				return
			}
			if spun+p.spun > 1 {
				continue // loops.go: one such round is enough
			}
			spun += p.spun
			paths[order[i]] = p
			if s.together(paths, p) {
				if agrees, cost := market.agrees(paths); agrees && s.spend(cost/16) {
					choose(i + 1)
				}
			}
			spun -= p.spun
		}
		paths[order[i]] = nil
	}
	choose(0)
}

// byCTA lists the threads, those of a CTA behind each other.
func (s *search) byCTA() []int {
	order := make([]int, len(s.program.threads))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &s.program.threads[a], &s.program.threads[b]
		return cmp.Or(cmp.Compare(x.gpu, y.gpu), cmp.Compare(x.cta, y.cta))
	})
	return order
}

// skeleton searches the executions of one choice of paths.
func (s *search) skeleton(paths []*path) {
	s.shape = s.lay(paths)
	n := len(s.shape.events)
	if n > maxExecution {
		s.doubt, s.halted = fmt.Sprintf("an execution has %d events; at most %d are handled", n, maxExecution), true
		return
	}
	if s.machines[n] == nil {
		s.machines[n] = newMachine(s.model, n)
	}
	s.machine = s.machines[n]
	if !s.spend(n * n / 64) {
		return
	}
	s.fill(s.machine, s.shape)
	s.from = make([]int, n)
	s.phase = make([]int, n)
	for i := range s.from {
		s.from[i], s.phase[i] = -1, -1
	}
	s.met = false
	s.forget()
	if !s.consistent(fixed) {
		return
	}
	s.phases(0, s.meet)
}

// meet decides the barriers that meet, if their numbers are known before anything is read, and then the reads.
func (s *search) meet() {
	s.forget()
	if !s.promising() {
		return
	}
	if groups, known := s.gather(); known {
		s.met = true
		s.barriers(groups, func() { s.reads(0) })
		return
	}
	s.met = false
	s.reads(0)
}

func (s *search) forget() {
	clear(s.known)
	s.circular = false
}

// spend takes from the limit of the search; false when it is used up, or somebody called it off.
func (s *search) spend(n int) bool {
	before := s.spent
	s.spent += n
	switch {
	case s.spent > s.options.Limit:
		s.doubt = fmt.Sprintf("stopped after %d steps of the search", s.options.Limit)
	case s.spent>>10 != before>>10 && s.ctx.Err() != nil:
		s.doubt = "stopped: " + s.ctx.Err().Error()
	default:
		return true
	}
	s.halted = true
	return false
}

// consistent evaluates the model from a stage on. What that costs grows with the third power of the number of words of a
// row; so does what it takes from the limit.
func (s *search) consistent(from stage) bool {
	w := s.machine.w
	return s.spend(w*w*w) && s.machine.run(from) && s.rests()
}

// reads decides the i-th read and those behind it.
func (s *search) reads(i int) {
	if i == len(s.shape.reads) {
		s.forget()
		if s.met {
			s.order(0)
			return
		}
		if groups, known := s.gather(); known {
			s.barriers(groups, func() { s.order(0) })
		}
		return
	}
	r := s.shape.reads[i]
	e := &s.shape.events[r]
	rf := s.machine.bases["rf"]
	for _, w := range s.shape.writers[e.cell] {
		if s.done() || !s.spend(1) {
			return
		}
		if o := &s.shape.events[w]; o.thread == e.thread && o.rmw && o.source == e.local {
			continue // a read-modify-write does not read what it writes itself
		}
		s.from[r] = w
		s.machine.add(rf, w, r)
		if s.forget(); s.promising() && s.consistent(read) {
			s.reads(i + 1)
		}
		s.machine.drop(rf, w, r)
		s.from[r] = -1
	}
}

// promising reports whether the values known so far leave the paths possible, and the question open.
func (s *search) promising() bool {
	for t, p := range s.shape.paths {
		for _, x := range p.tests {
			a, okA := s.value(t, x.a)
			b, okB := s.value(t, x.b)
			if okA && okB && compare(x.fn, a, b) != x.want || s.circular {
				return false
			}
		}
	}
	if s.options.Property != Spec {
		return true
	}
	known := func(x *term) (int64, bool) {
		switch {
		case x.thread >= 0:
			return s.value(x.thread, s.shape.paths[x.thread].regs[x.reg])
		case x.cell >= 0:
			return 0, false
		}
		return x.imm, true
	}
	if f := s.program.filter; f != nil && f.eval(known) == no {
		return false
	}
	return s.options.States || s.program.condition.eval(known) != s.unwanted()
}

// unwanted is the truth of the condition that answers nothing.
func (s *search) unwanted() truth {
	if s.program.Quantifier == Forall {
		return yes
	}
	return no
}

// rests reports whether what threads read that go round for ever may be the last values of their cells.
func (s *search) rests() bool {
	if s.options.Property != Termination {
		return true
	}
	co := s.machine.named("co")
	for t, p := range s.shape.paths {
		for _, e := range p.spins {
			if w := s.from[s.shape.first[t]+e]; w >= 0 && co != nil && !empty(s.machine.row(co, w)) {
				return false
			}
		}
	}
	return true
}

// order decides the pairs of the o-th order of the model, and of those behind it.
func (s *search) order(o int) {
	if s.done() {
		return
	}
	if o == len(s.model.orders) {
		s.complete()
		return
	}
	a, b, found := s.machine.undecided(o)
	if !found {
		s.order(o + 1)
		return
	}
	for range 2 {
		s.machine.add(s.machine.picks[o], a, b)
		if s.consistent(s.model.steps[s.model.orders[o].step].stage) {
			s.order(o)
		}
		s.machine.drop(s.machine.picks[o], a, b)
		if s.done() {
			return
		}
		a, b = b, a
	}
}

// complete looks at an execution in which everything is decided and every axiom holds.
func (s *search) complete() {
	if s.undefined > 0 {
		s.doubt = "an mbarrier gets more arrivals than its phase takes, which PTX does not define"
		return
	}
	if len(s.closings) > 0 {
		closable := s.closable(0)
		if s.machine.run(read); !closable {
			return
		}
	}
	switch s.options.Property {
	case Termination:
		s.witness(nil, nil)
		return
	case Race:
		if pairs, found := s.machine.flags("race"); found {
			s.witness(pairs, nil)
		}
		return
	}
	state := make([]int64, len(s.program.shown))
	s.finals(0, state)
}

// finals goes through the final states of an execution from the i-th part on: a cell may end with the value of any write
// that no other follows in coherence order.
func (s *search) finals(i int, state []int64) {
	if i == len(state) {
		s.final(state)
		return
	}
	x := &s.program.shown[i]
	if x.thread >= 0 {
		v, ok := s.value(x.thread, s.shape.paths[x.thread].regs[x.reg])
		if !ok {
			return // s.doubt says why
		}
		state[i] = v
		s.finals(i+1, state)
		return
	}
	co := s.machine.named("co")
	var seen []int64
	for _, w := range s.shape.writers[x.cell] {
		if v, ok := s.written(w); ok && empty(s.machine.row(co, w)) && !slices.Contains(seen, v) {
			seen = append(seen, v)
			state[i] = v
			s.finals(i+1, state)
		}
	}
}

func (s *search) final(state []int64) {
	value := func(x *term) (int64, bool) {
		if x.thread < 0 && x.cell < 0 {
			return x.imm, true
		}
		for i, y := range s.program.shown {
			if y.thread == x.thread && y.reg == x.reg && y.cell == x.cell {
				return state[i], true
			}
		}
		return 0, false
	}
	if s.program.filter != nil && s.program.filter.eval(value) != yes {
		return
	}
	holds := s.program.condition.eval(value)
	if s.options.States {
		key := fmt.Sprint(state)
		at, ok := s.states[key]
		if !ok {
			at = len(s.result.States)
			s.states[key] = at
			s.result.States = append(s.result.States, State{Values: slices.Clone(state), Holds: holds == yes})
		}
		s.result.States[at].Executions++
	}
	if holds != s.unwanted() {
		s.witness(nil, state)
	}
}
