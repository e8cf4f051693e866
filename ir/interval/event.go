package interval

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

// event is an access by a thread.
type event struct {
	inst     int32
	thread   int
	at       int64
	size     int64
	meetings meetings // how often lanes of its warp have met since the interval began
	joined   meetings // of these, at how many they have met with their memory
	writes   bool
	atomic   bool
	strong   bool
	maybe    bool   // data of the thread decide whether it is made
	alone    bool   // so do data that the lanes of its warp need not have alike
	tied     bool   // they do so together with which thread it is
	anywhere bool   // data choose which of these bytes it is of
	open     bool   // it is of some element from at on: where its array ends is not known
	carried  bool   // it is a copy that was started before a barrier which its thread has passed since
	init     bool   // it makes an mbarrier
	uses     bool   // it is an operation on an mbarrier that was made before
	chosen   bool   // its address is made of a number that was chosen
	picked   bool   // that is what memory holds, for all threads alike, and nothing of the thread
	rounds   rounds // of a store: those in which it is made
	based    bool   // where the first element is that its index is counted from is known, and the same for all threads
	base     int64  // that
}

// meetings are, by the binary logarithm of how many neighbours meet, how often those of a thread's tile have.
type meetings [6]uint16

// of is how often two lanes have met, as far as one of them has come.
func (m *meetings) of(a, b int) (n int) {
	for _, k := range m[bits.Len(uint(a%ir.Lanes^b%ir.Lanes)):] {
		n += int(k)
	}
	return n
}

// tile is the binary logarithm of how many lanes an instruction lets a thread meet: those of its tile, where what it names is one, or else all.
func (s *state) tile(k int32, in *ir.Inst, r rounds) int {
	if in.Members.Reg < 0 {
		return len(meetings{}) - 1
	}
	v := s.read(k, in.Members, ir.Register, r)
	named, lane := uint32(v.n), s.thread%ir.Lanes
	if v.taint&(data|opaque) == 0 {
		for n := range len(meetings{}) - 1 {
			if first := lane >> n << n; named == (1<<(1<<n)-1)<<first {
				return n
			}
		}
	}
	return len(meetings{}) - 1
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
	switch {
	case a.taint&opaque != 0 && !shared:
		return e, false, true
	case a.split() || a.taint&opaque != 0: // an index that data choose; what a function that is not read makes of them leads anywhere, too
		if shared {
			if e, is, fits = s.anywhere(k, in); is {
				return e, is, fits
			}
		}
		e, is = s.somewhere(k, in, r)
		return e, is, true
	case !shared && a.taint&data != 0:
		if e, is = s.somewhere(k, in, r); is {
			e.picked = true
			return e, true, true
		}
	case shared && (at < 0 || at >= 1<<ir.RankBits):
		return s.beyond(k, in, a.taint, in.Space != ir.Shared)
	}
	if !shared && s.written[at>>bufferBits] == "" {
		return e, false, true
	}
	e = event{inst: k, thread: s.thread, at: at, size: int64(in.Size), writes: in.Op == ir.Store || in.Op == ir.Atomic || in.Op == ir.Matrix && in.Flags&ir.Write != 0,
		atomic: in.Op == ir.Atomic, strong: strong(in, shared), chosen: a.taint&(chosen|data|voted) != 0, picked: a.taint&data != 0 && a.alike()}
	if in.Op == ir.Store && in.Extra == nil {
		e.rounds = r.copy()
	}
	if x := s.index(k); s.opens && x != nil {
		base, t := s.alikeOf(x, r)
		e.base, e.based = base, t.alike() && t&opaque == 0
	}
	if !shared || s.inside(k, at, e.size) {
		return e, true, true
	}
	return s.beyond(k, in, a.taint, false)
}

// beyond is an access that leads beyond its array by the numbers that were chosen: others need not, where what memory holds is one of them.
func (s *state) beyond(k int32, in *ir.Inst, of taint, fits bool) (event, bool, bool) {
	if of&data == 0 {
		return event{}, false, fits
	}
	return s.anywhere(k, in)
}

// strong reports whether an access may be made while others access the same, as it says itself. That an update of shared memory is atomic says so of other updates alone; in global memory others may
// be ordered with it by what the kernel does not say.
func strong(in *ir.Inst, shared bool) bool {
	return in.Strong() && !(shared && in.Op == ir.Atomic && (in.Order == ir.Weak || in.Order == ir.Relaxed))
}

// asks reports whether what a load finds decides whether an update is made: who looks first whether there is anything to update may well find what others write meanwhile.
func (a *analysis) asks(load, update int32) bool {
	key := [2]int32{load, update}
	out, known := a.asked[key]
	if known {
		return out
	}
	met := map[int32]bool{}
	var made func(k int32) bool // of what the load finds
	made = func(k int32) bool {
		if k == load {
			return true
		}
		if met[k] || len(met) > maxBetween {
			return false
		}
		met[k] = true
		registers, predicates := a.kernel.Insts[k].OperandsOf()
		if g := a.kernel.Insts[k].Guard; g >= 0 {
			predicates = append(predicates, g)
		}
		for n, list := range [][]int32{registers, predicates} {
			for _, r := range list {
				set, _ := a.ssa.Reaching(a.ssa.Read(k, ir.Operand{Reg: r}, []ir.Bank{ir.Register, ir.Predicate}[n]))
				if slices.ContainsFunc(set, made) {
					return true
				}
			}
		}
		return false
	}
	out = slices.ContainsFunc(a.flow.Deciders(a.flow.BlockOf(update)), func(b int32) bool { return made(a.flow.Last(b)) })
	a.asked[key] = out
	return out
}

// barrier is what an instruction does with an mbarrier.
func (s *state) barrier(k int32, in *ir.Inst, r rounds) (e event, is bool) {
	o, offset := in.A, in.Offset
	switch in.Op {
	case ir.MbarInit, ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarTest, ir.AsyncArrive:
	case ir.Async:
		if in.Extra == nil || len(in.Extra.Operands) < 3 || in.Extra.Operands[2] == ir.None {
			return e, false
		}
		o, offset = in.Extra.Operands[2], in.Extra.Offsets[2]
	default:
		return e, false
	}
	a := s.read(k, o, ir.Register, r)
	at := a.n + offset
	if at>>ir.WindowBits == ir.SharedWindow>>ir.WindowBits {
		at -= ir.SharedWindow
	}
	if a.taint&(data|opaque) != 0 || at < 0 || at >= 1<<ir.RankBits {
		return e, false
	}
	const bytes = 8 // of an mbarrier (PTX ISA 9.7.13.15.1)
	return event{inst: k, thread: s.thread, at: at, size: bytes, init: in.Op == ir.MbarInit, writes: in.Op == ir.MbarInit, uses: in.Op != ir.MbarInit, chosen: a.taint&chosen != 0}, true
}

// anywhere is an access whose place in its array data choose, and no more than that: it may be that of another thread.
func (s *state) anywhere(k int32, in *ir.Inst) (e event, is, fits bool) {
	all := s.choices(in.Place)
	if len(all) != 1 || all[0].Ahead {
		return e, false, true
	}
	b := s.at.Block
	t := ir.Thread{Block: [3]int64{int64(b[0]), int64(b[1]), int64(b[2])}, At: [3]int64{int64(s.thread % b[0]), int64(s.thread / b[0] % b[1]), int64(s.thread / b[0] / b[1])}}
	mine, known := all[0].Own(t)
	if low, high := mine+all[0].Low, mine+all[0].High; known && low >= 0 && high <= 1<<ir.RankBits && high-low <= maxArray {
		return event{inst: k, thread: s.thread, at: low, size: high - low, writes: in.Op != ir.Load, atomic: in.Op == ir.Atomic, strong: strong(in, true), anywhere: true}, true, true
	}
	return e, false, true
}

// choices are those of the accesses at a place.
func (a *analysis) choices(place uint32) []ir.Choice {
	out, known := a.choosing[place]
	if !known {
		out = a.kernel.ChosenAt(place)
		a.choosing[place] = out
	}
	return out
}

// somewhere is an access of an element that data choose of an array whose end is not known: all accesses of the array by an index that threads have by which they are may be of that element.
func (s *state) somewhere(k int32, in *ir.Inst, r rounds) (e event, is bool) {
	x := s.index(k)
	if x == nil || len(x.Data) == 0 || len(x.Own) > 0 {
		return e, false
	}
	at, t := s.alikeOf(x, r)
	if !t.alike() || t&opaque != 0 || in.Space == ir.Global && s.written[at>>bufferBits] == "" {
		return e, false
	}
	return event{inst: k, thread: s.thread, at: at, size: int64(in.Size), writes: in.Op != ir.Load, atomic: in.Op == ir.Atomic, strong: strong(in, in.Space == ir.Shared), anywhere: true, open: true, rounds: r.copy(), base: at, based: true}, true
}

// index is what the address of an access is a sum of; nil where it is none.
func (a *analysis) index(k int32) *ir.Index {
	x, met := a.indices[k]
	if !met {
		if one, ok := a.kernel.IndexOf(k); ok {
			x = &one
		}
		a.indices[k] = x
	}
	return x
}

// alikeOf is where the first element is that an index is counted from.
func (s *state) alikeOf(x *ir.Index, r rounds) (at int64, t taint) {
	at = x.Alike.Const
	for _, term := range x.Alike.Terms {
		v := s.value(term.Atom, r)
		at, t = at+v.n*term.By, t|v.taint
	}
	return at, t
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
