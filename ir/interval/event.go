package interval

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
)

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
