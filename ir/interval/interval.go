// Package interval looks for races within barrier intervals: what threads of a CTA do from one of its barriers, or from the kernel's start, to the next. It
// needs no execution up to there, so what is not understood before, or behind, does not matter. Each interval is walked thread by thread with numbers for what the
// text leaves open, which all threads have alike; a pair of accesses is told that two threads make to the same bytes under all of these numbers and all shapes of the CTA.
// It finds and does not prove: that the interval is come to with such numbers is not shown. (Betts et al., "GPUVerify: a verifier for GPU kernels", OOPSLA 2012, ask the same of
// two threads and all numbers.)
package interval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// Limits of what is walked.
const (
	maxStarts = 48      // intervals of a kernel
	maxSteps  = 2048    // instructions of a thread in one interval
	maxWork   = 3 << 21 // of all threads of a kernel
	maxTurns  = 3       // rounds of a loop in one interval
	maxDepth  = 96      // of what a value is made of
	maxSites  = 1 << 16 // accesses that are kept at a time
)

// Race is a pair of accesses of shared memory that nothing orders.
type Race struct {
	Write, Other   int32 // instructions
	Writer, Reader int   // threads; Reader may write, too
	Object         *ir.Variable
	At             int64 // the first byte of both, from the start of shared memory
	Block          [3]int
	Warp           bool  // both are lanes of one warp
	Start          int32 // the barrier that the interval begins behind; -1: the kernel's start
}

// key is what a race is told of once.
type key struct {
	write, other int32
	warp         bool
}

// Races lists the races of a kernel's intervals that all of the shapes show which go together with its arrays.
func Races(k *ir.Kernel, shapes [][3]int) []Race {
	var all map[key]Race
	s := &search{k: k, fl: k.Flow(), s: k.SSA(), u: k.Uniformity(), loops: k.Loops(), variables: k.SharedVariables(), work: maxWork}
	if len(s.variables) == 0 || !s.writes() {
		return nil
	}
	s.prepare()
	for _, block := range shapes {
		for profile := range profiles {
			found, fits := s.under(block, profile)
			if s.work < 0 {
				return nil
			}
			if !fits {
				continue
			}
			if all == nil {
				all = found
			} else {
				maps.DeleteFunc(all, func(w key, _ Race) bool { _, also := found[w]; return !also })
			}
			if len(all) == 0 {
				return nil
			}
		}
	}
	out := slices.Collect(maps.Values(all))
	slices.SortFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.Write, b.Write), cmp.Compare(a.Other, b.Other))
	})
	return out
}

// search is what is known of a kernel, whatever it is given.
type search struct {
	k         *ir.Kernel
	fl        *ir.Flow
	s         *ir.SSA
	u         *ir.Uniformity
	loops     []*ir.Loop
	variables []*ir.Variable
	header    map[int32]int // block → the loop that it begins rounds of
	special   map[int32]string
	pointers  map[int32]int64 // registers of pointers → where they lead
	starts    []int32
	order     map[int32]int // uniform values that the text leaves open, in the order in which they were met
	work      int
}

// writes reports whether the kernel writes shared memory itself.
func (s *search) writes() bool {
	return slices.ContainsFunc(s.k.Insts, func(in ir.Inst) bool {
		return (in.Op == ir.Store || in.Op == ir.Async || in.Op == ir.Matrix && in.Flags&ir.Write != 0) && (in.Space == ir.Shared || in.Space == ir.Generic)
	})
}

func (s *search) prepare() {
	s.header, s.special, s.pointers, s.order = map[int32]int{}, map[int32]string{}, map[int32]int64{}, map[int32]int{}
	for n, l := range s.loops {
		s.header[l.Header] = n
	}
	for name, r := range s.k.Special {
		s.special[r] = name
	}
	const first, apart = 1 << 41, 1 << 35 // above all windows of other spaces
	for n, p := range s.k.Slots {
		if p.Pointer {
			s.pointers[p.Register] = first + int64(n)*apart
		}
	}
	s.starts = []int32{-1}
	for k := range s.k.Insts {
		if in := &s.k.Insts[k]; whole(in) && in.Guard < 0 && s.k.FunctionOf(int32(k))[0] == s.k.Functions[0][0] && s.fl.Reached(s.fl.BlockOf(int32(k))) && len(s.starts) < maxStarts {
			s.starts = append(s.starts, int32(k))
		}
	}
}

// whole reports whether an instruction is a barrier of all threads of the CTA.
func whole(in *ir.Inst) bool {
	return in.Op == ir.BarrierCTA && in.Flags&ir.Arrives == 0 && in.A.Reg < 0 && in.A.Imm == 0 && in.B.Reg < 0 && in.B.Imm <= 0
}

// ends reports whether an interval ends at an instruction: it may wait for others, or do what is not known.
func ends(in *ir.Inst) bool {
	switch in.Op {
	case ir.BarrierCTA, ir.BarrierCluster, ir.MbarTest, ir.Stop, ir.Call, ir.GridDependency:
		return true
	case ir.Outside:
		return in.Flags&ir.MayMeet != 0
	}
	return false
}

// under lists the races with one shape and one set of numbers; fits is false where threads then access what is no part of an array.
func (s *search) under(block [3]int, profile int) (found map[key]Race, fits bool) {
	found = map[key]Race{}
	met := false
	for _, start := range s.starts {
		for _, round := range s.rounds(start) {
			for way := range ways {
				i := &interval{search: s, block: block, profile: profile, start: start, round: round, way: way, open: map[int32]bool{}}
				if !i.walk() {
					return nil, false
				}
				met = met || len(i.sites) > 0
				i.compare(found)
				if len(i.open) == 0 { // nothing to go the other way at
					break
				}
			}
		}
	}
	return found, met
}

// rounds are the rounds of the loops around a start in which its interval is looked at.
func (s *search) rounds(start int32) []int {
	if start >= 0 && s.k.Looped(start) {
		return []int{0, 1}
	}
	return []int{0}
}

// ways are how what is open and decides control goes: all as it says, and all otherwise.
const ways = 2

// site is an access that a thread makes in an interval.
type site struct {
	at     int64
	size   int64
	inst   int32
	thread int32
	when   int32 // after how many instructions
	meets  int32 // and after how many places at which lanes meet
	what   access
	value  known // of a write
}

type access uint8

const (
	reads access = iota
	writes
	atomics
)

// interval is one, in one round of the loops around its start.
type interval struct {
	*search
	block   [3]int
	profile int
	start   int32
	round   int
	way     int
	open    map[int32]bool // predicates that were open
	sites   []site
}

func (i *interval) walk() bool {
	for t := range i.block[0] * i.block[1] * i.block[2] {
		w := &walker{interval: i, thread: t, at: ir.Position{Block: i.block, Cluster: [3]int{1, 1, 1}, Thread: t}, set: map[int32]known{}, before: map[earlier]known{}, turns: map[int]int{}}
		if !w.run() || i.work < 0 || len(i.sites) > maxSites {
			return false
		}
	}
	return true
}

// compare finds two threads that access the same bytes, one of them to write.
func (i *interval) compare(found map[key]Race) {
	cells := map[int64][]int32{} // of four bytes
	for n := range i.sites {
		at := &i.sites[n]
		for c := at.at >> 2; c <= (at.at+at.size-1)>>2; c++ {
			cells[c] = append(cells[c], int32(n))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(cells)) {
		list := cells[c]
		for _, n := range list {
			a := &i.sites[n]
			if a.what == reads {
				continue
			}
			for _, m := range list {
				b := &i.sites[m]
				if a.thread == b.thread || !i.race(a, b) {
					continue
				}
				w := key{a.inst, b.inst, a.thread/ir.Lanes == b.thread/ir.Lanes}
				if b.what != reads && b.inst < a.inst {
					w.write, w.other = b.inst, a.inst
				}
				if _, told := found[w]; !told {
					found[w] = Race{Write: a.inst, Other: b.inst, Writer: int(a.thread), Reader: int(b.thread), Object: i.variable(a.at), At: max(a.at, b.at), Block: i.block, Warp: w.warp, Start: i.start}
				}
			}
		}
	}
}

// race reports whether nothing orders two accesses of two threads, of which the first one writes. Lanes of a warp are taken to go on together: what one writes later, or
// before lanes meet, the others have read, or see.
func (i *interval) race(a, b *site) bool {
	if a.at >= b.at+b.size || b.at >= a.at+a.size || a.what == atomics && b.what != writes { // a counter may be looked at
		return false
	}
	if a.thread/ir.Lanes == b.thread/ir.Lanes && (a.meets != b.meets || a.when >= b.when || a.inst == b.inst) {
		return false
	}
	if b.what == writes && a.what == writes { // what both write may be the same
		return a.value.ok && b.value.ok && a.value.n != b.value.n
	}
	return true
}

// variable is the shared variable that a byte is of; nil: none is.
func (s *search) variable(at int64) (found *ir.Variable) {
	for _, v := range s.variables {
		if at >= v.At && (v.Size < 0 || at < v.At+v.Size) && (found == nil || v.At > found.At) {
			found = v
		}
	}
	return found
}
