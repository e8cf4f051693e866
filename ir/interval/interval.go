// Package interval looks at barrier intervals: what the threads of a CTA do from one barrier of all of them on, each up to the next place where it may wait for others (Betts et al., "GPUVerify: a
// verifier for GPU kernels", OOPSLA 2012). Nothing orders two accesses of different threads there, whatever came before. So a race is found in a kernel of which not all can be followed: an
// interval begins with numbers that are chosen for what the launch, memory and calls give, the same for all threads where they are, and what follows from these and from the thread is exact.
// Samples find, and prove nothing.
package interval

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// Launch is how a kernel is launched.
type Launch struct {
	Block  [3]int
	Params map[string]int64 // of its formals and of special registers those that are known
}

// Race is two accesses of different threads in one interval.
type Race struct {
	First, Second int32 // instructions, in the order of the text
	Threads       [2]int
	Address       int64  // of the byte, in shared memory, or behind what Buffer points to
	Buffer        string // the parameter that points to global memory; "": it is shared memory
	From          int32  // the instruction that the interval begins with
	Written       [2]bool
	Lanes         bool // both threads are of one warp
	Chosen        bool // data choose the element that one of them accesses
	Init          bool // the one that writes makes an mbarrier, which the other one uses
}

// Where what pointers lead to is taken to be: one buffer is far from the next, and all are below the windows of the generic address space.
const (
	bufferBits = 32
	maxBuffers = 200
	maxGlobals = 50
)

// Limits of one kernel.
const (
	samples   = 8
	maxWork   = 5_000_000  // values that are computed
	maxSteps  = 40_000_000 // instructions that threads come by, bytes that accesses are of, and pairs of these
	maxEvents = 1 << 16    // of one interval
	maxThread = 20_000     // steps of one thread in an interval
	longWay   = 5_000      // of these, behind which loops are left after few rounds, so that it comes to what is behind them
	maxWarps  = 8          // that are followed
)

// analysis is of one kernel.
type analysis struct {
	kernel            *ir.Kernel
	flow              *ir.Flow
	ssa               *ir.SSA
	loops             []*ir.Loop
	inmost            []int32 // block → the innermost loop that it is in; -1: none
	headed            []int32 // block → the loop that it is the header of; -1: none
	within            [][]int // by loop, those within it
	idles             []idle  // by loop
	special           map[int32]string
	polls             map[int32]bool
	alike             *ir.Uniformity
	work              int // values that may still be computed
	later             int // of these, what is left for later intervals
	steps             int // see maxSteps
	pairs             map[[2]int32]*pair
	written           map[int64]string          // by place, the parameters through which the kernel writes to global memory
	reached           map[int32]map[uint64]bool // by block whose accesses were made, the samples
	indices           map[int32]*ir.Index
	choosing          map[uint32][]ir.Choice // see choices
	followed, misfits bool                   // of the intervals, one at least
	dull              map[[2]int32]int       // intervals and rounds, by how many searches have found nothing new
	known             map[edge]int           // ways, by how many samples have gone them
	gone              map[edge]bool          // those that the sample that is followed goes
	cut               bool                   // of the interval that is looked at not all was followed
	loads             map[int32]int32        // see earlier
	behind, before    closure                // by block, those on ways from it, and to it
	addresses         map[int32]string       // see address
	asked             map[[2]int32]bool      // see asks
	updated           map[[2]int32]bool      // see updates
	free              map[int32]bool         // see byData
	hushed            *bool                  // see quiet
	block             [3]int                 // threads of a CTA
	acts              []bool                 // by instruction: it is one that walk asks more of
	flies, carries    bool                   // the kernel has copies by cp.async; only those are looked for that were started before a barrier
	opens             bool                   // data choose elements of arrays whose ends are not known
	buffers           map[int32]int64        // parameter that is a pointer → the number of what it leads to
	limits            map[int64][]bound      // by buffer
	scales            map[int32]int64        // see scaled
	parts             map[int32]int          // see divided
	lanes             map[int32]int64        // see laneCounts
	parted            map[int64]int64        // see offsets
}

// sample is one choice of what is not known.
type sample struct {
	*analysis
	number  func(h uint64) int64
	seed    uint64
	zeros   bool // some of what memory holds is 0
	assumes bool // conditions that all threads have in common are taken to lead to where the interval begins
	at      ir.Position
	numbers map[int32]value
	fixed   map[string]bool    // special registers that the launch says
	does    []map[int32]makers // by interval, who made accesses
	cuts    []bool             // by interval, not all was followed
	states  map[int]*state
	common  memo              // what all threads have alike
	met     map[[2]int32]bool // pairs that raced
	around  map[int64][]int64 // see near
	ballots map[election]ballot
}

// perThread are the special registers that threads of a CTA have different ones of.
var perThread = map[string]bool{"%tid.x": true, "%tid.y": true, "%tid.z": true, "%laneid": true, "%warpid": true, "%lanemask_eq": true, "%lanemask_lt": true, "%lanemask_le": true,
	"%lanemask_gt": true, "%lanemask_ge": true}

// Races lists the races that are found for a launch, by place; fits is false where the kernel does what it must not wherever it is entered, so that this is no launch of it.
func Races(c *ir.Kernel, l Launch) (out []Race, fits bool) {
	a := newAnalysis(c, l.Block)
	if a == nil || l.Block[0]*l.Block[1]*l.Block[2] <= 0 {
		return nil, true
	}
	var made []*sample
	begins, further := a.begins(), false
	again := map[int32]bool{} // intervals that were looked at before
	for n := 0; n < samples && len(begins) > 0; n++ {
		c := &choice{analysis: a, n: n, launch: l}
		groups := [][]int32{begins}
		switch {
		case n < samples/2:
			a.work += maxWork * 7 / (8 * samples)
		case n == samples/2:
			a.work += maxWork / 16
		}
		if n >= samples/2 { // the others are for what was shown before they are for the rest
			groups = a.shown(begins)
		}
		over := map[int32]bool{} // where later rounds are as the first
		for k, turn := range []int32{1, 0, 2, last} {
			least := 0 // that is left for the other rounds
			if k == 0 {
				least = a.work / 3
			}
			for _, group := range groups {
				// Each interval has its part of the work, so that long ones leave something for the rest; what the others leave these have then.
				todo := slices.DeleteFunc(slices.Clone(group), func(from int32) bool { return over[from] })
				for range 2 {
					var cut []int32
					for i, from := range todo {
						a.later = a.work - (a.work-least)/(len(todo)-i)
						if s := c.fitting(from, turn, further, again[from]); s != nil {
							over[from] = !s.interval(from, turn)
						}
						if a.spent() {
							cut = append(cut, from)
						}
					}
					todo = cut
				}
			}
		}
		a.later = 0
		for _, s := range c.made {
			s.states, s.common, s.ballots = nil, memo{}, nil
		}
		made = append(made, c.made...)
		if n == samples-1 && !further {
			for _, from := range begins {
				again[from] = true
			}
			begins, further = append(a.unreached(), begins...), true
			n = -1
		}
	}
	a.count(made)
	for n := samples; n < samples+maxFurther; n++ {
		froms := a.promising()
		if len(froms) == 0 {
			break
		}
		a.work += maxWork / (8 * maxFurther)
		c := &choice{analysis: a, n: n, launch: l}
		for _, from := range froms {
			for _, turn := range []int32{1, 0, 2, last} {
				if s := c.fitting(from, turn, false, false); s == nil || !s.interval(from, turn) {
					break
				}
			}
		}
		for _, s := range c.made {
			s.states, s.common, s.ballots = nil, memo{}, nil
		}
		made = append(made, c.made...)
		a.count(made)
	}
	for _, p := range a.pairs {
		if p.told() {
			out = append(out, *p.race)
		}
	}
	slices.SortFunc(out, func(x, y Race) int { return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second)) })
	return out, a.followed || !a.misfits
}

// count says of pairs in how many samples they were seen, and might have been.
func (a *analysis) count(made []*sample) {
	for key, p := range a.pairs {
		p.hits, p.chances, p.open = 0, 0, 0
		for _, s := range made {
			switch {
			case s.met[key]:
				p.hits++
				p.chances++
				p.sizes[s.seed%2] = true
			case slices.ContainsFunc(s.does, func(does map[int32]makers) bool { return p.race.chance(does[key[0]], does[key[1]]) }):
				p.chances++
			default:
				for k, does := range s.does {
					if s.cuts[k] && (does[key[0]].warps != 0 || does[key[1]].warps != 0) {
						p.open++
						break
					}
				}
			}
		}
	}
}

// maxFurther bounds the samples that are looked at for the intervals in which a race was seen by all that might, which are too few to tell it.
const maxFurther = 8

// promising lists these.
func (a *analysis) promising() (out []int32) {
	for _, p := range a.pairs {
		if p.hits > 0 && (p.hits == p.chances || p.picked) && !p.told() && !p.assumed {
			out = append(out, p.race.From)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shown divides intervals into those in which a race was seen and the others.
func (a *analysis) shown(begins []int32) [][]int32 {
	seen := map[int32]bool{}
	for _, p := range a.pairs {
		seen[p.race.From] = true
	}
	out := make([][]int32, 2)
	for _, from := range begins {
		if seen[from] {
			out[0] = append(out[0], from)
		} else {
			out[1] = append(out[1], from)
		}
	}
	return out
}

// choice is one way to choose, with others of the same kind for intervals that the first does not lead to.
type choice struct {
	*analysis
	n      int
	launch Launch
	made   []*sample
}

// maxChoices bounds the ways to choose that are tried for one that leads to where an interval begins.
const maxChoices = 64

// fitting is a sample that leads to where an interval begins: conditions that all threads have in common hold there. Where none is found they are taken to if that is allowed. In an interval that was looked at
// before it is one that goes other ways; nil if there is none.
func (c *choice) fitting(from, turn int32, assumes, again bool) *sample {
	if c.n >= samples/2 || again {
		if s := c.novel(from, turn); s != nil || again {
			return s
		}
	}
	best, most := 0, -1
	for k := range maxChoices {
		s := c.another(k)
		if c.spent() {
			break
		}
		r := s.begun(from, turn)
		if r == nil {
			return nil
		}
		met, comes, sure := s.state(0).comes(from, c.behindAll(from), r)
		if comes || !sure {
			return s
		}
		if met > most {
			best, most = k, met
		}
	}
	s := c.another(best) // those that are nearest hold
	s.assumes = assumes
	return s
}

// edge is a way on from a block at which a condition decides that all threads have in common, in an interval.
type edge struct{ from, block, next int32 }

// Limits of the search for samples with which threads go ways that few have gone.
const (
	maxScouts = 8 // samples that one thread of is followed
	wellKnown = 3 // samples that have gone a way, or searches that have found none that few have gone
)

// novel is a sample with which a thread goes a way in an interval that few samples have gone; nil if none is found.
func (c *choice) novel(from, turn int32) *sample {
	if c.dull[[2]int32{from, turn}] >= wellKnown {
		return nil
	}
	all, scouts := c.behindAll(from), 0
	for k := range maxChoices {
		s := c.another(k)
		if c.spent() {
			break
		}
		th, r := s.state(0), s.begun(from, turn)
		if r == nil {
			return nil
		}
		if _, comes, sure := th.comes(from, all, r); !comes || !sure {
			continue
		}
		if c.spent() {
			break
		}
		if scouts++; scouts > maxScouts {
			break
		}
		c.gone = map[edge]bool{}
		_, fits, _ := th.walk(from, c.flow.BlockOf(from), r.copy(), &flight{})
		if th.cutShort() {
			break
		}
		for e := range c.gone {
			if !fits {
				break
			}
			if c.known[e] < wellKnown {
				return s
			}
		}
	}
	c.dull[[2]int32{from, turn}]++
	return nil
}

// another is the k-th sample of a kind.
func (c *choice) another(k int) *sample {
	if k == len(c.made) {
		c.made = append(c.made, c.sample(c.n, k, c.launch))
	}
	s := c.made[k]
	s.assumes = false
	return s
}

// spent reports whether the limits are reached.
func (a *analysis) spent() bool { return a.work <= a.later || a.steps <= 0 }

// cutShort reports whether the limits are reached, and forgets then what was computed: the last of it may be made of what was not.
func (s *state) cutShort() bool {
	if !s.spent() {
		return false
	}
	s.common, s.known, s.sample.ballots = memo{}, memo{}, map[election]ballot{}
	return true
}

func newAnalysis(c *ir.Kernel, block [3]int) *analysis {
	a := &analysis{kernel: c, flow: c.Flow(), ssa: c.SSA(), loops: c.Loops(), special: map[int32]string{}, polls: c.Polls(), alike: c.UniformIfUnchanged(), steps: maxSteps, pairs: map[[2]int32]*pair{}, written: map[int64]string{}, reached: map[int32]map[uint64]bool{}, known: map[edge]int{}, dull: map[[2]int32]int{}, indices: map[int32]*ir.Index{}, choosing: map[uint32][]ir.Choice{}, loads: map[int32]int32{}, behind: closure{}, before: closure{}, addresses: map[int32]string{}, asked: map[[2]int32]bool{}, updated: map[[2]int32]bool{}, free: map[int32]bool{}, block: block, buffers: map[int32]int64{}}
	if len(a.ssa.Values) <= 1 || len(c.Functions) == 0 {
		return nil
	}
	a.inmost, a.headed = make([]int32, a.flow.Blocks()), make([]int32, a.flow.Blocks())
	for b := range a.inmost {
		a.inmost[b], a.headed[b] = -1, -1
	}
	for n, l := range a.loops {
		a.headed[l.Header] = int32(n)
		for _, b := range l.Blocks {
			a.inmost[b] = int32(n)
		}
	}
	for name, r := range c.Special {
		a.special[r] = name
	}
	for i, p := range c.Given() {
		if p.Pointer {
			a.buffers[p.Register] = int64(i%maxBuffers + 1)
		}
	}
	a.limits, a.scales, a.parts, a.lanes = a.bounds(), a.scaled(), a.divided(), a.laneCounts()
	a.parted = a.offsets()
	a.acts = make([]bool, len(c.Insts))
	for k := range c.Insts {
		a.acts[k] = a.act(int32(k))
		a.flies = a.flies || isCopy(&c.Insts[k])
		if in := &c.Insts[k]; in.Op.Accesses() && in.Op != ir.Outside && in.A != ir.None && (in.Space == ir.Shared || in.Space == ir.Global || in.Space == ir.Generic) {
			x := a.index(int32(k))
			a.opens = a.opens || x != nil && len(x.Data) > 0 && len(x.Own) == 0
		}
	}
	for n, l := range a.loops {
		var within []int
		for k, in := range a.loops {
			if k != n && l.Has(in.Header) {
				within = append(within, k)
			}
		}
		a.within, a.idles = append(a.within, within), append(a.idles, a.idle(l))
	}
	return a
}

// act reports whether an instruction may be one of an interval's events, end it, or be one where lanes meet.
func (a *analysis) act(k int32) bool {
	in := &a.kernel.Insts[k]
	switch in.Op {
	case ir.MbarInit, ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarTest, ir.AsyncArrive, ir.Async, ir.GroupCommit, ir.GroupWait, ir.BarrierWarp, ir.Shuffle, ir.Vote, ir.Elect:
		return true
	}
	return in.Flags&ir.Meets != 0 || in.Op.Accesses() || a.ends(k, in)
}

// begins are the instructions with which intervals begin, behind whatever may order what comes before. Of two threads that have both come by one, nothing orders what they do next. So does one begin with the kernel.
func (a *analysis) begins() []int32 {
	out := []int32{a.kernel.Functions[0][0]}
	for k := a.kernel.Functions[0][0]; k < a.kernel.Functions[0][1]; k++ {
		if in := &a.kernel.Insts[k]; a.ends(k, in) && in.Op != ir.Load && in.Op != ir.Stop && in.Guard < 0 && k+1 < a.kernel.Functions[0][1] && a.flow.Reached(a.flow.BlockOf(k)) {
			out = append(out, k+1)
		}
	}
	return out
}

// unreached are where blocks begin whose accesses no thread has made in half of the samples.
func (a *analysis) unreached() (out []int32) {
	for b := range int32(a.flow.Blocks()) {
		if len(a.reached[b]) >= samples/2 || !a.flow.Reached(b) || a.kernel.FunctionOf(a.flow.Start(b)) != a.kernel.Functions[0] {
			continue
		}
		for k := a.flow.Start(b); k <= a.flow.Last(b); k++ {
			if in := &a.kernel.Insts[k]; in.Op.Accesses() && in.Op != ir.Outside && (in.Space == ir.Shared || in.Space == ir.Global && in.Op != ir.Load || in.Space == ir.Generic) {
				out = append(out, a.flow.Start(b))
				break
			}
		}
	}
	return out
}

// warps are those of the CTA that are followed.
func (s *sample) warps() (out []int) {
	b := s.at.Block
	all := (b[0]*b[1]*b[2] + ir.Lanes - 1) / ir.Lanes
	if all <= maxWarps {
		for w := range all {
			out = append(out, w)
		}
		return out
	}
	out = []int{0, 1, 2, all / 4, all / 2, all/2 + 1, all - 2, all - 1}
	slices.Sort(out)
	return slices.Compact(out)
}

// state is that of a thread.
func (s *sample) state(t int) *state {
	th := s.states[t]
	if th == nil {
		th = &state{sample: s, thread: t}
		s.states[t] = th
	}
	return th
}

// last stands for the last round of the innermost loop around where an interval begins, in the first one of those around it: from there threads come to what is behind the loop.
const last = -1

// begun are the rounds in which an interval begins; nil where the last round of a loop is asked for and is one of the first, or is not known.
func (s *sample) begun(from, turn int32) rounds {
	r := make(rounds, len(s.loops))
	for k := range r {
		r[k] = -1
	}
	inmost := s.inmost[s.flow.BlockOf(from)]
	if from > s.kernel.Functions[0][0] {
		for l := inmost; l >= 0; l = int32(s.loops[l].Outer) {
			r[l] = max(turn, 0)
		}
	}
	if turn != last {
		return r
	}
	if from <= s.kernel.Functions[0][0] || inmost < 0 {
		return nil
	}
	whole := r.copy()
	if !s.state(0).run(inmost, whole) || whole[inmost]-1 <= mostTurns {
		return nil
	}
	r[inmost] = whole[inmost] - 1
	return r
}

// mostTurns is the last of the first rounds in which intervals begin.
const mostTurns = 2

// interval looks at one that begins behind a barrier, in a round of the loops around it; more says that other rounds are of use.
func (s *sample) interval(from, turn int32) (more bool) {
	r := s.begun(from, turn)
	if r == nil { // another sample has more rounds
		return false
	}
	block := s.flow.BlockOf(from)
	more = from > s.kernel.Functions[0][0] && s.inmost[block] >= 0
	var events []event
	var ended []stopped
	all := s.behindAll(from)
	b := s.at.Block
	s.gone, s.cut = map[edge]bool{}, false
follow:
	for lane := range ir.Lanes { // of all warps alike, so that little work shows something of each
		for _, w := range s.warps() {
			t := w*ir.Lanes + lane
			if t >= b[0]*b[1]*b[2] {
				continue
			}
			th := s.state(t)
			_, comes, sure := th.comes(from, all, r)
			var list []event
			fits := true
			if comes {
				t := stopped{thread: t, barrier: barrier{rounds: r.copy()}, flight: &flight{}}
				if list, fits, t.inst = th.walk(from, block, t.rounds, t.flight); s.flies {
					ended = append(ended, t)
				}
			}
			switch {
			case th.cutShort():
				break follow
			case !sure:
				return more
			case !fits:
				s.misfits = true
				return more
			}
			if events = append(events, list...); len(events) > maxEvents {
				break follow
			}
		}
	}
	s.followed = s.followed || len(events) > 0
	for e := range s.gone {
		s.analysis.known[e]++
	}
	s.compare(from, events)
	s.onward(ended)
	return more
}
