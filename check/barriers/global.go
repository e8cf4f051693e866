package barriers

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// allGlobal is global of the run that decides, and of the others with what was tried.
func (s *search) allGlobal(r *Report, runs []*Report, l exec.Launch) (*Report, error) {
	first := r
	r, err := s.global(r, l)
	for _, run := range runs {
		if err != nil || r.Verdict == engine.Violated || r.Conflict != nil {
			break
		}
		if run == first || maps.Equal(run.Execution.Launch.Params, first.Execution.Launch.Params) {
			continue
		}
		if s.over() {
			r.Conflict = &exec.Halt{Why: limit.Time.Sayf("accesses of global memory were not compared with all numbers within the work of %v", s.clock.most)}
			break
		}
		other := *run
		g, err := s.global(&other, l)
		if err != nil {
			return nil, err
		}
		if g.Verdict == engine.Violated {
			return taking(g, r), nil
		}
		r.Conflict = g.Conflict
		if r.Apart == nil {
			r.Apart = g.Apart
		}
	}
	return r, err
}

// global asks whether accesses of global memory race: those of one CTA, then those of two that are neighbours. The answer takes the place of the
// one for shared memory where it is a race.
func (s *search) global(r *Report, l exec.Launch) (*Report, error) {
	if r.Result == nil || r.Verdict == engine.Violated || r.behind != "" || BeyondOf(s.whole, false).Grid == nil && !slices.ContainsFunc(s.whole.Insts, ofGrid) {
		return r, nil
	}
	if s.waits != nil && len(*s.waits) > 0 { // for others, which it so orders
		r.Conflict = &(*s.waits)[0]
		return r, nil
	}
	with := r.Execution.Launch
	with.Global = true
	with.CTA = &[3]int{}
	if at := r.Execution.Launch.CTA; at != nil {
		*with.CTA = *at
	}
	with.Params = maps.Clone(with.Params)
	for k, axis := range []string{".x", ".y", ".z"} { // which CTA it is moves all its places alike
		if n, tried := with.Params["%ctaid"+axis]; tried && r.Execution.Launch.CTA == nil {
			with.CTA[k] = int(n)
		}
		delete(with.Params, "%ctaid"+axis)
	}
	with.Words = r.words()
	if s.everywhere == nil {
		s.everywhere = s.whole.ReducedGlobal()
	}
	own, err := s.conflicts(with, l)
	if err != nil || own.Verdict == engine.Violated {
		return taking(own, r), err
	}
	if own, err = s.bothWays(own, with, l); err != nil {
		return nil, err
	}
	r.Conflict, r.Apart = own.Conflict, own.Apart
	for _, text := range slices.Concat(own.Compared, own.Execution.Assumed) {
		if !slices.Contains(r.Execution.Assumed, text) {
			r.Execution.Assumed = append(slices.Clone(r.Execution.Assumed), text)
		}
	}
	if met, err := s.meetings(own, with, l); err != nil || met != nil {
		return taking(met, r), err
	}
	with.Words = nil // of two CTAs each has its own
	for _, other := range s.neighbours(with) {
		if with.Other = other; s.over() {
			break
		}
		both, err := s.conflicts(with, l)
		if err == nil && both.Verdict != engine.Violated {
			both, err = s.behindBounds(both, with, l)
		}
		if err != nil || both.Verdict == engine.Violated {
			return taking(both, r), err
		}
	}
	return r, nil
}

// maxNeighbours is how many pairs of CTAs are looked at behind bounds that are not known.
const maxNeighbours = 4

// plenty are how many times as many things as a CTA has threads there are, where how many is not known.
var plenty = [...]int64{4, 6, 16}

// behindBounds compares the accesses of two CTAs once more where inputs decide whether they are made: there are enough of everything for both, of all as many. What races whatever the number, at
// addresses with no more than one of them for a factor, is told as a warning: more, as strides of several dimensions, need not go together.
func (s *search) behindBounds(both *Report, with, l exec.Launch) (*Report, error) {
	if s.openIn(both, with) == "" || s.guessing || s.clock.spent > s.clock.most/8 || s.lookedBehind >= maxNeighbours {
		return both, nil
	}
	s.lookedBehind++
	begin, block := s.clock.spent, with.Block
	s.brief = s.clock.most / 32
	defer func() { s.brief = 0 }()
	var kept *Report
	for _, many := range plenty {
		n := many * int64(block[0]*block[1]*block[2])
		launch, as, g := with, l, both
		for range maxInputs {
			name := s.openIn(g, launch)
			if name == "" {
				break
			}
			launch, as = given(launch, name, n), given(as, name, n)
			var err error
			if g, err = s.conflicts(launch, as); err != nil {
				return nil, err
			}
		}
		if g == both || g.Result == nil || g.Execution.Trap != nil || g.Verdict != engine.Violated || s.over() || s.clock.spent-begin > s.clock.most/8 {
			return both, nil
		}
		g.Findings = slices.DeleteFunc(g.Findings, func(f order.Finding) bool {
			if f.Check != order.Race || len(f.Points) != 2 || kept != nil && !slices.ContainsFunc(kept.Findings, func(o order.Finding) bool { return samePlaces(&f, &o) }) {
				return true
			}
			tried := map[string]bool{}
			for _, p := range f.Points {
				_, factors := g.Execution.Kernel.AddressOf(p.Place, true)
				for _, name := range factors {
					if g.tried(name, l) {
						tried[name] = true
					}
				}
			}
			return len(tried) > 1
		})
		if len(g.Findings) == 0 {
			return both, nil
		}
		if kept == nil {
			kept = g
		}
	}
	kept.Presumed = true
	return kept, nil
}

// openIn is an input that decides whether, or where, accesses of global memory are made; "" if none is known.
func (s *search) openIn(g *Report, with exec.Launch) string {
	open := cmp.Or(g.Conflict, g.Apart)
	if open == nil || g.Verdict == engine.Violated {
		return ""
	}
	for _, name := range open.Inputs {
		_, given := with.Params[name]
		if _, special := s.everywhere.Special[name]; !given && !special && s.everywhere.Integers()[name] {
			return name
		}
	}
	return ""
}

// words are the numbers that a run was given for words of memory, by the registers that these are loaded to; where several are loaded to one, none.
func (r *Report) words() map[int32]int64 {
	out, several := map[int32]int64{}, map[int32]bool{}
	for name, n := range r.Execution.Launch.Params {
		if !exec.IsWord(name) {
			continue
		}
		for _, d := range r.Execution.Loaded[name] {
			old, again := out[d]
			out[d], several[d] = n, several[d] || again && old != n
		}
	}
	maps.DeleteFunc(out, func(d int32, _ int64) bool { return several[d] })
	return out
}

// taking is a report of global memory with what was tried for the one that it takes the place of.
func taking(g, r *Report) *Report {
	if g != nil {
		g.Numbers, g.LeftOut, g.Runs, g.More, g.turns, g.idle = r.Numbers, r.LeftOut, r.Runs, r.More, r.turns, r.idle
	}
	return g
}

// conflicts executes a launch with the accesses of global memory. Findings are races of these alone: the others were told, or taken back, before.
func (s *search) conflicts(with, l exec.Launch) (*Report, error) {
	o := s.clock.real(s.options)
	o.Limits.Work = s.clock.left(s.brief)
	with.Limits = o.Limits
	e, err := exec.Run(s.everywhere, with)
	if err != nil {
		return nil, err
	}
	s.clock.ran(e)
	g := &Report{Execution: e, Conflict: e.Global, Apart: e.Apart}
	if e.Stop != nil {
		g.Conflict = e.Stop
		return g, nil
	}
	if e.Trap != nil && g.Conflict == nil { // behind that nothing was seen
		g.Conflict = &exec.Halt{Place: e.Trap, Why: limit.Trap.Says("the threads of CTA 0 come to a trap, or a premise is not so for them")}
	}
	g.check(o)
	unsure := g.Checks[order.Race] != engine.Holds
	g.Findings = slices.DeleteFunc(g.Findings, func(f order.Finding) bool {
		return f.Check != order.Race || f.Benign || !order.InGlobalMemory(f.Object) || g.guarded(&f) || g.published(&f) || g.perhapsEqual(f.Points) || g.unsaid(&f)
	})
	if s.guessing && g.collides(true) != "" {
		g.Findings = nil
	}
	if f := g.divided(); f != nil && !s.guessing {
		g.Checks[order.Deadlock] = engine.Violated
		g.Findings = []order.Finding{*f}
		g.sum()
		return g, nil
	}
	if s.guessing {
		g.Findings = slices.DeleteFunc(g.Findings, func(f order.Finding) bool { return g.alone(&f) || g.tiled(&f) })
	}
	kept, doubted := g.sureRaces(l)
	told := map[string]bool{} // what one pointer leads to is told of once: as a rule the threads were not to do it all
	kept = slices.DeleteFunc(kept, func(f order.Finding) bool {
		of, _, _ := strings.Cut(g.place(&f), "[")
		again := told[of]
		told[of] = true
		return again
	})
	for k := range kept {
		kept[k].Text = strings.Replace(kept[k].Text, fmt.Sprintf("byte %#x of global memory", kept[k].Object&^order.Global(0)), g.place(&kept[k]), 1)
	}
	if g.Findings = kept; len(kept) > 0 {
		g.sum()
		return g, nil
	}
	g.Verdict = engine.Inconclusive
	if g.Conflict == nil && (unsure || len(doubted) > 0) {
		g.Conflict = &exec.Halt{Why: g.firstReason().After("accesses of global memory by several threads may race: ")}
	}
	return g, nil
}

// bothWays compares accesses once more with numbers for an input that decides which way threads go, if it is not known where accesses are for that, or whether
// they are made. Where with none of them two may race, none do; but that so many of a loop do not is not said of more.
func (s *search) bothWays(own *Report, with, l exec.Launch) (*Report, error) {
	open := cmp.Or(own.Conflict, own.Apart)
	if open == nil || own.Verdict == engine.Violated {
		return own, nil
	}
	at := slices.IndexFunc(open.Inputs, func(input string) bool {
		_, given := with.Params[input]
		return !given && s.everywhere.Integers()[input]
	})
	if at < 0 {
		return own, nil
	}
	name := open.Inputs[at]
	var out *Report
	var numbers []int64
	said, begin := own.Conflict != nil, s.clock.spent
	if !said && (len(s.whole.Launches)+len(s.whole.Others) > 1 || s.clock.spent > s.clock.most/8) {
		return own, nil
	}
	list := s.everywhere.Numbers(name, s.premise(own.Execution))
	if !said { // what is made of the number is not asked about
		list = append(list, rounds...)
		s.brief = s.clock.most / 32
		defer func() { s.brief = 0 }()
	}
	for _, n := range list {
		if s.over() || !said && s.clock.spent-begin > s.clock.most/16 {
			return own, nil
		}
		as := l
		if said {
			as = given(l, name, n)
		}
		g, err := s.conflicts(given(with, name, n), as)
		if err != nil {
			return nil, err
		}
		switch {
		case g.Execution.Trap != nil:
			continue
		case g.Verdict == engine.Violated:
			own.Conflict = &exec.Halt{Place: open.Place, Why: limit.PerhapsWrong.Sayf("with %s=%d %s, and whether it is that is not known", name, n, g.Findings[0].Text)}
			return own, nil
		case said && (g.Conflict != nil || g.Apart != nil):
			return own, nil
		}
		out, numbers = g, append(numbers, n)
	}
	if out == nil || !said {
		return own, nil
	}
	out.Compared = append(slices.Clone(own.Compared), fmt.Sprintf("accesses of global memory were compared with %s = %s", name, numbersText(numbers)))
	return out, nil
}

// rounds are numbers of them that make threads which go on side by side meet what others have.
var rounds = []int64{16, 100}

// ofGrid reports whether an instruction is of the barrier of the grid.
func ofGrid(in ir.Inst) bool { return in.Op == ir.BarrierCluster && in.Scope == ir.ScopeGPU }

// divided is a barrier of the grid that threads of one of two CTAs come to more often than those of the other: all of the grid have to come to each (CUDA C++
// Programming Guide, Grid Synchronization). nil: there is none, or it is not sure.
func (r *Report) divided() *order.Finding {
	e := r.Execution
	if len(e.Stuck)+len(e.Agreed)+len(e.Hidden) > 0 || e.Program.CTAs < 2 {
		return nil
	}
	joins := map[uint32]bool{}
	for _, in := range e.Kernel.Insts {
		if ofGrid(in) {
			joins[in.Place] = true
		}
	}
	times, last := [2]int{}, [2]order.Point{}
	for n, w := range e.Program.Warps {
		mine := 0
		for k := range w.Commands {
			if c := &w.Commands[k]; c.Kind == order.ClusterArrive && joins[c.Place] && c.Mask != 0 {
				if mine++; mine > times[w.CTA] {
					times[w.CTA], last[w.CTA] = mine, order.Point{Warp: n, Index: k, Lane: bits.TrailingZeros32(c.Mask), Place: c.Place}
				}
			}
		}
	}
	if times[0] == times[1] {
		return nil
	}
	more := boolean(times[1] > times[0])
	return &order.Finding{Check: order.Deadlock, Barrier: -1, Points: []order.Point{last[more]},
		Text: fmt.Sprintf("threads of CTA %d come to barriers of the grid %d times, those of CTA %d %d times; expected all threads of the grid at each", more, times[more], 1-more, times[1-more])}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *Report) firstReason() limit.Reason {
	if len(r.Reasons) == 0 {
		return limit.Harmless.Says("one is atomic, or what is written is not known")
	}
	return r.Reasons[0].Reason()
}

// alone reports whether a race is of threads that the kernel does not tell from each other: where nothing says how many there are it may be for one.
func (r *Report) alone(f *order.Finding) bool {
	if len(f.Points) > 1 && f.Points[0].Place == f.Points[1].Place {
		names, _ := r.Execution.Kernel.AddressOf(f.Points[0].Place, order.InGlobalMemory(f.Object))
		return !slices.ContainsFunc(names, tells)
	}
	return !TellsThreads(r.Execution.Kernel)
}

// unsaid reports whether the text does not say what a race is of: it may be each thread's own.
func (r *Report) unsaid(f *order.Finding) bool {
	return slices.ContainsFunc(f.Points, func(p order.Point) bool {
		names, _ := r.Execution.Kernel.AddressOf(p.Place, order.InGlobalMemory(f.Object))
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(r.Execution.Kernel.Guesses, name) })
	})
}

// tiled reports whether a race is of two CTAs at places that their threads have by which they are: where nothing says how many there are, what is a CTA's own
// may be as large as another shape makes it.
func (r *Report) tiled(f *order.Finding) bool {
	w := r.Execution.Program.Warps
	return len(f.Points) > 1 && w[f.Points[0].Warp].CTA != w[f.Points[1].Warp].CTA && slices.ContainsFunc(f.Points, func(p order.Point) bool {
		names, _ := r.Execution.Kernel.AddressOf(p.Place, order.InGlobalMemory(f.Object))
		return slices.ContainsFunc(names, tells)
	})
}

// TellsThreads reports whether a kernel tells the threads of a CTA apart: one that does not may be for one.
func TellsThreads(k *ir.Kernel) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(k.Special)), tells)
}

// tells reports whether a special register tells threads of a CTA from each other (PTX ISA 10).
func tells(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return ownThread[base]
}

var ownThread = map[string]bool{"%tid": true, "%laneid": true, "%warpid": true, "%lanemask_eq": true, "%lanemask_lt": true, "%lanemask_le": true, "%lanemask_gt": true, "%lanemask_ge": true}

// guarded reports whether one of the accesses is atomic and the other one a read: a loop of compare-and-swap begins with one.
func (r *Report) guarded(f *order.Finding) bool {
	kinds := map[order.Kind]bool{}
	for _, p := range f.Points {
		kinds[r.Execution.Program.Warps[p.Warp].Commands[p.Index].Kind] = true
	}
	return kinds[order.Atomic] && kinds[order.Read]
}

// published reports whether all accesses of a race are volatile ones: as they are translated these are strong, and in no data race with each other.
func (r *Report) published(f *order.Finding) bool {
	k := r.Execution.Kernel
	return !slices.ContainsFunc(f.Points, func(p order.Point) bool {
		return !slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Place == p.Place && in.Op == ir.Store && in.Order == ir.Volatile })
	})
}

// neighbours are CTAs to compare one with: the next along each axis on which the kernel knows where it is, or on which the grid is known to have
// several. None where CTAs may see what others have done, and so order what they access: by flags or tickets. What is only written, and fences alone, order nothing.
func (s *search) neighbours(l exec.Launch) (out []*[3]int) {
	if l.Cluster != [3]int{1, 1, 1} {
		return nil
	}
	for k := range s.whole.Insts {
		in := &s.whole.Insts[k]
		if in.Op == ir.Load && in.Strong() || in.Op == ir.Atomic && in.D >= 0 && s.whole.Reads(in.D) || in.Op == ir.Outside {
			return nil
		}
	}
	for k, axis := range []string{".x", ".y", ".z"} {
		_, reads := s.whole.Special["%ctaid"+axis]
		extent := l.Grid[k]
		if n, tried := l.Params["%nctaid"+axis]; tried && extent == 0 {
			extent = int(n)
		}
		if extent == 0 {
			extent = s.whole.Across[k]
		}
		if at := l.CTA[k] + 1; at < extent || extent == 0 && reads {
			other := *l.CTA
			other[k] = at
			out = append(out, &other)
		}
	}
	return out
}

// place is the place in global memory that a race is of, by its name.
func (r *Report) place(f *order.Finding) string {
	p := f.Points[len(f.Points)-1]
	return r.Execution.InGlobal(f.Object, r.Execution.Program.Warps[p.Warp].Commands[p.Index].C)
}
