// Package interval looks at barrier intervals: what the threads of a CTA do from one barrier of all of them on, each up to the next place where it may wait for others (Betts et al., "GPUVerify: a
// verifier for GPU kernels", OOPSLA 2012). Nothing orders two accesses of different threads there, whatever came before. So a race is found in a kernel of which not all can be followed: an
// interval begins with numbers that are chosen for what the launch, memory and calls give, the same for all threads where they are, and what follows from these and from the thread is exact.
// Samples find, and prove nothing.
package interval

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
	maxWork   = 600_000 // values that are computed
	maxEvents = 1 << 16 // of one interval
	maxThread = 20_000  // steps of one thread in an interval
	maxWarps  = 8       // that are followed
)

// analysis is of one kernel.
type analysis struct {
	kernel  *ir.Kernel
	flow    *ir.Flow
	ssa     *ir.SSA
	loops   []*ir.Loop
	inmost  []int32 // block → the innermost loop that it is in; -1: none
	headed  []int32 // block → the loop that it is the header of; -1: none
	special map[int32]string
	polls   map[int32]bool
	alike   *ir.Uniformity
	shared  []*ir.Variable
	work    int
	pairs   map[[2]int32]*pair
	written map[int64]string          // by place, the parameters through which the kernel writes to global memory
	assumes bool                      // conditions that all threads have in common are taken to lead to where intervals begin
	reached map[int32]map[uint64]bool // by block whose accesses were made, the samples
}

// pair is what is known of two accesses.
type pair struct {
	race          *Race
	assumed       bool    // it is in an interval to which what was chosen need not lead
	hits, chances int     // samples that show it, and that make both accesses
	chosen        bool    // an address is made of a number that was chosen
	sizes         [2]bool // it is shown by large numbers, by small ones
}

// sample is one choice of what is not known.
type sample struct {
	*analysis
	number  func(h uint64) int64
	seed    uint64
	at      ir.Position
	numbers map[int32]value
	fixed   map[string]bool    // special registers that the launch says
	does    []map[int32]uint64 // by interval, the warps that made accesses
	states  map[int]*state
	met     map[[2]int32]bool // pairs that raced
}

// perThread are the special registers that threads of a CTA have different ones of.
var perThread = map[string]bool{"%tid.x": true, "%tid.y": true, "%tid.z": true, "%laneid": true, "%warpid": true, "%lanemask_eq": true, "%lanemask_lt": true, "%lanemask_le": true,
	"%lanemask_gt": true, "%lanemask_ge": true}

// Races lists the races that are found for a launch, by place.
func Races(c *ir.Kernel, l Launch) []Race {
	a := newAnalysis(c)
	if a == nil || l.Block[0]*l.Block[1]*l.Block[2] <= 0 {
		return nil
	}
	var made []*sample
	begins := a.begins()
	for n := 0; n < samples && len(begins) > 0; n++ {
		s := a.sample(n, l)
		a.work += maxWork / (2 * samples)
		for _, from := range begins {
			for _, turn := range []int32{1, 0, 2} {
				if a.work <= 0 {
					break
				}
				if !s.interval(from, turn) {
					break
				}
			}
		}
		s.states = nil
		made = append(made, s)
		if n == samples-1 && !a.assumes {
			begins, a.assumes = a.unreached(), true
			n = -1
		}
	}
	for key, p := range a.pairs {
		for _, s := range made {
			switch {
			case s.met[key]:
				p.hits++
				p.chances++
				p.sizes[s.seed%2] = true
			case slices.ContainsFunc(s.does, func(does map[int32]uint64) bool { return p.race.chance(does[key[0]], does[key[1]]) }):
				p.chances++
			}
		}
	}
	var out []Race
	for _, p := range a.pairs {
		if p.hits < 2 || p.hits < p.chances || p.chosen && (p.assumed || !p.sizes[0] || !p.sizes[1]) {
			continue
		}
		out = append(out, *p.race)
	}
	slices.SortFunc(out, func(x, y Race) int { return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second)) })
	return out
}

func newAnalysis(c *ir.Kernel) *analysis {
	a := &analysis{kernel: c, flow: c.Flow(), ssa: c.SSA(), loops: c.Loops(), special: map[int32]string{}, polls: c.Polls(), alike: c.UniformIfUnchanged(), shared: c.SharedVariables(), pairs: map[[2]int32]*pair{}, written: map[int64]string{}, reached: map[int32]map[uint64]bool{}}
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
	return a
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

// unreached are the instructions before the blocks of the kernel with accesses of shared memory that no thread has come to with what was chosen.
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

// small and large are what is chosen from.
var (
	large = []int64{64, 128, 256, 100, 1000, 2048, 512, 333}
	small = []int64{1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 48, 64}
)

func (a *analysis) sample(n int, l Launch) *sample {
	s := &sample{analysis: a, seed: uint64(n)*977 + 5, numbers: map[int32]value{}, met: map[[2]int32]bool{}, states: map[int]*state{}, fixed: map[string]bool{"%ntid.x": true, "%ntid.y": true, "%ntid.z": true, "%nwarpid": true}}
	s.number = func(h uint64) int64 {
		if n%2 == 0 {
			return large[h>>8%uint64(len(large))]
		}
		return small[h>>8%uint64(len(small))]
	}
	s.at = ir.Position{Block: l.Block, Cluster: [3]int{1, 1, 1}}
	for k := range s.at.Grid {
		h := scatter(s.seed, uint64(k)+1000)
		s.at.Grid[k] = 1 + int(h>>20%64)
		s.at.CTA[k] = int(h >> 40 % uint64(s.at.Grid[k]))
	}
	for k, axis := range []string{"x", "y", "z"} {
		if g, said := l.Params["%nctaid."+axis]; said && g > 0 && g < 1<<30 {
			s.at.Grid[k] = int(g)
			s.at.CTA[k] = min(s.at.CTA[k], int(g)-1)
			s.fixed["%nctaid."+axis] = true
		}
	}
	for i, p := range a.kernel.Given() {
		name := p.Called()
		if x, said := l.Params[name]; said {
			s.numbers[p.Register] = value{n: x}
			continue
		}
		if p.Pointer {
			n := int64(i%maxBuffers + 1)
			s.numbers[p.Register] = value{n: n << bufferBits}
			if a.kernel.Writes[p.Register] && i < maxBuffers {
				a.written[n] = name
			}
			continue
		}
		x := value{s.number(scatter(s.seed, uint64(p.Register))), chosen}
		if strings.HasPrefix(name, ir.SizeOf) { // what is of one size here may be of another than what else is there
			x.taint |= opaque
		}
		s.numbers[p.Register] = x
	}
	for _, r := range a.kernel.Globals {
		s.numbers[r] = value{n: (int64(r)%maxGlobals + maxBuffers + 1) << bufferBits}
	}
	return s
}

// event is an access by a thread.
type event struct {
	inst     int32
	thread   int
	at       int64
	size     int64
	meeting  int // how often the lanes of its warp have met since the interval began
	writes   bool
	atomic   bool
	strong   bool
	maybe    bool // data of the thread decide whether it is made
	anywhere bool // data choose which of these bytes it is of
	chosen   bool // its address is made of a number that was chosen
	value    value
	stores   bool // value is what it writes
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

// maxKnown bounds the values that are kept of a thread.
const maxKnown = 1 << 14

// state is that of a thread.
func (s *sample) state(t int) *state {
	th := s.states[t]
	if th == nil || len(th.known) > maxKnown {
		th = &state{sample: s, thread: t, known: map[key]value{}}
		s.states[t] = th
	}
	return th
}

// interval looks at one that begins behind a barrier, in a round of the loops around it; more says that other rounds are of use.
func (s *sample) interval(from, turn int32) (more bool) {
	r := make(rounds, len(s.loops))
	for k := range r {
		r[k] = -1
	}
	block := s.flow.BlockOf(from)
	if from > s.kernel.Functions[0][0] {
		for l := s.inmost[block]; l >= 0; l = int32(s.loops[l].Outer) {
			r[l], more = turn, true
		}
	}
	var events []event
	b := s.at.Block
	for _, w := range s.warps() {
		for lane := range ir.Lanes {
			t := w*ir.Lanes + lane
			if t >= b[0]*b[1]*b[2] {
				break
			}
			th := s.state(t)
			comes, sure := th.comes(from, r)
			if !sure {
				return more
			}
			if !comes {
				continue
			}
			list, ok := th.walk(from, block, r.copy())
			if !ok || s.work <= 0 || len(events)+len(list) > maxEvents {
				return more
			}
			events = append(events, list...)
		}
	}
	s.compare(from, events)
	return more
}

// comes reports whether a thread comes to where an interval begins, as the conditions on all ways there say; not sure where data of its own decide that.
func (s *state) comes(from int32, r rounds) (comes, sure bool) {
	for b := s.flow.BlockOf(from); s.flow.Above(b) >= 0; b = s.flow.Above(b) {
		above := s.flow.Above(b)
		before := s.flow.Before(b)
		if len(before) != 1 || before[0] != above {
			continue
		}
		next, t, is := s.next(above, r)
		if t.split() {
			return false, false
		}
		if is && next != b && !(s.assumes && t != 0 && t&own == 0) {
			return false, true
		}
	}
	return true, true
}

// walk lists the accesses that a thread makes in an interval; ok is false where it does what it must not, so that what was chosen does not go together.
func (s *state) walk(from, block int32, r rounds) (out []event, ok bool) {
	k := from
	meeting, steps := 0, 0
	join := int32(-1) // behind which data of the thread decide no more where it is
	for {
		for ; k <= s.flow.Last(block); k++ {
			if steps++; steps > maxThread || s.work <= 0 {
				return out, true
			}
			in := &s.kernel.Insts[k]
			if in.Op.Branches() {
				break
			}
			made := value{n: 1}
			if in.Guard >= 0 {
				made = s.read(k, ir.Operand{Reg: in.Guard, Not: in.GuardNot}, ir.Predicate, r)
			}
			if s.ends(k, in) {
				if made.n != 0 || made.split() {
					return out, true
				}
				continue
			}
			if in.Flags&ir.Meets != 0 || in.Op == ir.BarrierWarp || in.Op == ir.Shuffle || in.Op == ir.Vote || in.Op == ir.Elect {
				meeting++
				continue
			}
			if made.n == 0 {
				continue
			}
			e, is, fits := s.event(k, in, r)
			if !fits {
				return nil, false
			}
			if is {
				e.meeting, e.maybe = meeting, join >= 0 || made.split()
				out = append(out, e)
			}
		}
		last := s.flow.Last(block)
		in := &s.kernel.Insts[last]
		if in.Op == ir.Call {
			return out, true
		}
		next, t, is := s.next(block, r)
		if !is {
			if in.Op == ir.Exit && in.Mode != 0 {
				return nil, false
			}
			return out, true
		}
		if (t.split() || t&opaque != 0) && join < 0 {
			switch region := s.kernel.RegionOf(last); {
			case region.To >= 0 && region.Why == "":
				join = s.flow.BlockOf(region.To)
			case t.split():
				return out, true
			}
		}
		s.enter(block, next, r)
		if l := s.headed[next]; l >= 0 && r[l] > maxRounds {
			return out, true
		}
		if block = next; block == join {
			join = -1
		}
		k = s.flow.Start(block)
	}
}

// ends reports whether an interval ends for a thread at an instruction: it may wait there, or something else may order what comes behind.
func (s *analysis) ends(k int32, in *ir.Inst) bool {
	switch in.Op {
	case ir.BarrierWarp, ir.GroupCommit, ir.MbarInit, ir.MbarInval, ir.Async, ir.AsyncArrive:
		return false
	case ir.GroupWait:
		return false
	case ir.BarrierCTA:
		return in.Flags&ir.Arrives == 0
	case ir.Outside:
		return in.Flags&ir.MayMeet != 0
	case ir.Stop:
		return true
	case ir.Load:
		return s.polls[k]
	}
	return in.Op.Does(ir.Blocks)
}

// event is what an instruction accesses of shared memory, or of global memory that the kernel writes; is is false where it is nothing, or not known, fits where it is beyond its array.
func (s *state) event(k int32, in *ir.Inst, r rounds) (e event, is, fits bool) {
	if !in.Op.Accesses() || in.Op == ir.Outside || in.A == ir.None || in.Space != ir.Shared && in.Space != ir.Generic && in.Space != ir.Global {
		return e, false, true
	}
	a := s.read(k, in.A, ir.Register, r)
	at := a.n + in.Offset
	shared := in.Space == ir.Shared
	if in.Space == ir.Generic && at>>ir.WindowBits == ir.SharedWindow>>ir.WindowBits {
		at, shared = at-ir.SharedWindow, true
	}
	if !shared && s.written[at>>bufferBits] == "" {
		return e, false, true
	}
	switch {
	case a.taint&opaque != 0:
		return e, false, true
	case a.split() && shared: // an index that data choose
		return s.anywhere(k, in)
	case a.split():
		return e, false, true
	case shared && (at < 0 || at >= 1<<ir.RankBits):
		return e, false, in.Space != ir.Shared
	}
	e = event{inst: k, thread: s.thread, at: at, size: int64(in.Size), writes: in.Op == ir.Store || in.Op == ir.Atomic || in.Op == ir.Matrix && in.Flags&ir.Write != 0,
		atomic: in.Op == ir.Atomic, strong: in.Strong(), chosen: a.taint&(chosen|data) != 0}
	if in.Op == ir.Store && in.Extra == nil {
		e.value, e.stores = s.read(k, in.B, ir.Register, r), true
	}
	return e, true, !shared || s.inside(k, at, e.size)
}

// anywhere is an access whose place in its array data choose, and no more than that: it may be that of another thread.
func (s *state) anywhere(k int32, in *ir.Inst) (e event, is, fits bool) {
	all := s.kernel.ChosenAt(in.Place)
	if len(all) != 1 || all[0].Moved {
		return e, false, true
	}
	b := s.at.Block
	t := ir.Thread{Block: [3]int64{int64(b[0]), int64(b[1]), int64(b[2])}, At: [3]int64{int64(s.thread % b[0]), int64(s.thread / b[0] % b[1]), int64(s.thread / b[0] / b[1])}}
	mine, known := all[0].Own(t)
	if low, high := mine+all[0].Low, mine+all[0].High; known && low >= 0 && high <= 1<<ir.RankBits && high-low <= maxArray {
		return event{inst: k, thread: s.thread, at: low, size: high - low, writes: in.Op != ir.Load, atomic: in.Op == ir.Atomic, strong: in.Strong(), anywhere: true}, true, true
	}
	return e, false, true
}

// maxArray bounds the bytes that data choose from.
const maxArray = 1 << 16

// inside reports whether an access keeps to the array that its address is made of.
func (s *state) inside(k int32, at, size int64) bool {
	of := s.kernel.ObjectsOf(&s.kernel.Insts[k])
	if len(of) == 0 {
		return true
	}
	return slices.ContainsFunc(of, func(v *ir.Variable) bool { return at >= v.At && (v.Size < 0 || at+size <= v.At+v.Size) })
}

// compare looks for two accesses of one byte by different threads.
func (s *sample) compare(from int32, events []event) {
	cells, does := map[int64][]*event{}, map[int32]uint64{}
	s.does = append(s.does, does)
	for k := range events {
		e := &events[k]
		does[e.inst] |= 1 << (e.thread / ir.Lanes)
		if b := s.flow.BlockOf(e.inst); s.reached[b] == nil {
			s.reached[b] = map[uint64]bool{s.seed: true}
		} else {
			s.reached[b][s.seed] = true
		}
		for at := e.at &^ 3; at < e.at+e.size; at += 4 {
			cells[at] = append(cells[at], e)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		list := thinned(cells[at])
		wrote := map[[2]int32]bool{} // instruction and thread
		for _, e := range list {
			if e.writes && !e.maybe && !e.anywhere {
				wrote[[2]int32{e.inst, int32(e.thread)}] = true
			}
		}
		for i, e := range list {
			for _, o := range list[i+1:] {
				// Who has written there itself, by the same store, finds what it wrote, if all write the same; that they do not is told of the two writes.
				mine := e.writes && !o.writes && wrote[[2]int32{e.inst, int32(o.thread)}] || o.writes && !e.writes && wrote[[2]int32{o.inst, int32(e.thread)}]
				if (e.writes || o.writes) && e.thread != o.thread && !mine && races(e, o) {
					s.hit(e, o, from)
				}
			}
		}
	}
}

// chance reports whether threads of some warps that make the one access and of others that make the other one might race as was seen: those of one warp, or of two.
func (r *Race) chance(a, b uint64) bool {
	if r.Lanes {
		return a&b != 0
	}
	return a != 0 && b != 0 && (a != b || a&(a-1) != 0)
}

// thinned keeps some writes and some reads of many.
func thinned(list []*event) (out []*event) {
	counts := map[[2]int32]int{}
	for _, e := range list {
		k := [2]int32{e.inst, int32(e.thread / ir.Lanes)}
		if counts[k]++; counts[k] <= 3 {
			out = append(out, e)
		}
	}
	if len(out) > 512 {
		out = out[:512]
	}
	return out
}

func ordered(a, b *event) [2]int32 { return [2]int32{min(a.inst, b.inst), max(a.inst, b.inst)} }

// races reports whether two accesses of different threads, which meet in a word, race.
func races(a, b *event) bool {
	switch {
	case a.at+a.size <= b.at || b.at+b.size <= a.at:
		return false
	case a.atomic && b.atomic, a.strong || b.strong:
		return false
	case a.anywhere && b.anywhere, (a.anywhere || b.anywhere) && (a.maybe || b.maybe || a.inst == b.inst):
		return false
	case a.maybe && b.maybe, (a.maybe || b.maybe) && a.inst == b.inst:
		return false
	case a.thread/ir.Lanes == b.thread/ir.Lanes && (a.meeting != b.meeting || a.inst == b.inst):
		return false
	case a.writes && b.writes:
		return a.stores && b.stores && a.value.taint&data == 0 && b.value.taint&data == 0 && a.value.n != b.value.n
	}
	return true
}

// hit notes a race of the sample.
func (s *sample) hit(a, b *event, from int32) {
	if a.inst > b.inst {
		a, b = b, a
	}
	key := [2]int32{a.inst, b.inst}
	p := s.pairs[key]
	if p == nil {
		p = &pair{}
		s.pairs[key] = p
	}
	s.met[key] = true
	p.assumed = p.assumed || s.assumes
	p.chosen = p.chosen || a.chosen || b.chosen
	lanes := a.thread/ir.Lanes == b.thread/ir.Lanes
	if p.race == nil || p.race.Lanes && !lanes {
		p.race = &Race{First: a.inst, Second: b.inst, Threads: [2]int{a.thread, b.thread}, Address: max(a.at, b.at), From: from, Written: [2]bool{a.writes, b.writes}, Lanes: lanes}
		if name := s.written[p.race.Address>>bufferBits]; name != "" {
			p.race.Buffer, p.race.Address = name, p.race.Address&(1<<bufferBits-1)
		}
	}
}
