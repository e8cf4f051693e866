package exec

import (
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// copy executes an asynchronous operation: each lane of the mask issues one. The execution completes it at once.
func (w *warp) copy(f *fragment, in *ir.Inst, mask uint32) outcome {
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		c, why := w.operation(in, l)
		if why.Code != 0 {
			return w.halt(f, why)
		}
		w.out.Issue(in.Place, 1<<l, c)
		for k := range c.Effects {
			e := &c.Effects[k]
			o := w.m.object(e.Mbar)
			o.bytes -= int64(e.Bytes)
			if in.Flags&ir.Tensor != 0 { // also where it writes to nobody knows where: its bytes come all the same
				var span *order.Span
				if k < len(c.Accesses) {
					span = &c.Accesses[k]
				}
				if o.copies, o.spans = append(o.copies, e), append(o.spans, span); len(o.copies) > 1 {
					w.miss(in, limit.Access.Says("the PTX does not say how many of a phase's bytes each of several tensor copies writes"))
				}
			}
			w.m.complete(o)
		}
	}
	return next
}

// leastTensor is the least that a tensor copy moves: the inner dimension of its box is a multiple of 16 bytes (CUDA Driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col).
const leastTensor = 16

// operation is what lane l issues; why says what cannot be followed.
func (w *warp) operation(in *ir.Inst, l int) (c order.Copy, why limit.Reason) {
	c.Unit = order.Unit(in.Mode)
	s, size := w.lane(in.B, l)
	if s != known {
		return c, limit.DataOperand.Says("the number of bytes depends on data")
	}
	least := size
	if in.Flags&ir.Tensor != 0 {
		least = leastTensor
	}
	dst, dstShared, ok := w.endpoint(in, l, 0)
	if !ok && in.Flags&ir.ToShared != 0 {
		w.miss(in, limit.DataAddress.Says("where the copy writes depends on data"))
		w.m.forgetShared()
	}
	src, srcShared, ok2 := w.endpoint(in, l, 1)
	if !ok2 && in.Flags&ir.FromShared != 0 {
		w.miss(in, limit.DataAddress.Says("where the copy reads depends on data"))
	}
	targets, why := w.copyTargets(in, l, dst)
	if why.Code != 0 {
		return c, why
	}
	if in.Flags&ir.ToShared != 0 && dstShared {
		for _, t := range targets {
			c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: t, Size: uint32(least)}, Write: true})
			w.m.overwritten(t, uint32(least))
			w.overwrites(in, 1<<l, order.Address{Base: t, Size: uint32(least)})
		}
		if in.Flags&ir.Reduction != 0 { // an atomic, which races with no other: not a write to the engine
			c.Accesses = c.Accesses[:0]
			w.miss(in, limit.Access.Says("asynchronous reductions are in no race"))
		}
	}
	if in.Extra.Operands[2] != ir.None {
		mbar, _, ok := w.endpoint(in, l, 2)
		if !ok {
			return c, limit.DataOperand.Says("the address of the mbarrier depends on data")
		}
		all, _ := w.copyTargets(in, l, mbar)
		for _, o := range all {
			c.Effects = append(c.Effects, order.Effect{Mbar: o, Bytes: uint32(size)})
		}
	}
	if in.Flags&ir.FromShared != 0 && srcShared {
		if in.Flags&ir.Tensor != 0 {
			w.miss(in, limit.Access.Says("the PTX does not say how much a tensor copy reads"))
		}
		c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: src, Size: uint32(least)}})
	}
	if in.Flags&ir.Tensor != 0 && in.Flags&ir.ToShared != 0 {
		w.m.assume("the tensor copies of a phase of an mbarrier bring the bytes that it expects, one alone at its destination in one piece")
	}
	return c, limit.Reason{}
}

// endpoint is an address of a copy: destination, source or mbarrier.
func (w *warp) endpoint(in *ir.Inst, l, k int) (at uint32, shared, ok bool) {
	o := in.Extra.Operands[k]
	if o == ir.None {
		return 0, false, true
	}
	s, n := w.lane(o, l)
	n += in.Extra.Offsets[k]
	if s != known {
		return 0, false, false
	}
	if n>>ir.WindowBits<<ir.WindowBits == ir.SharedWindow {
		n -= ir.SharedWindow
	}
	at, ok = w.target(n)
	return at, true, ok
}

// copyTargets are the places in the CTAs that a copy goes to: its own, or those of the mask of a multicast.
func (w *warp) copyTargets(in *ir.Inst, l int, at uint32) ([]uint32, limit.Reason) {
	if in.Flags&ir.Multicast == 0 {
		return []uint32{at}, limit.Reason{}
	}
	s, mask := w.lane(in.Extra.Operands[3], l)
	if s != known {
		return nil, limit.DataOperand.Says("the mask of CTAs depends on data")
	}
	var out []uint32
	for r := range w.m.ctas {
		if mask>>r&1 != 0 {
			out = append(out, order.Shared(r, at))
		}
	}
	return out, limit.Reason{}
}

// overwritten forgets what shared memory held where a copy writes.
func (m *machine) overwritten(at, size uint32) {
	from := at & ir.OffsetMask
	m.ctas[at>>ir.RankBits].memory.keep(from, min(size, maxShared-min(from, maxShared)), cell{sym: unknown})
}

// arriveDone executes cp.async.mbarrier.arrive and tcgen05.commit.
func (w *warp) arriveDone(in *ir.Inst, mask uint32, object uint32) limit.Reason {
	targets := []uint32{object}
	var flags order.Flags
	if in.Flags&ir.NoInc != 0 {
		flags = order.Included
	}
	if in.Flags&ir.Multicast != 0 {
		s, m := w.lane(in.B, trailing(mask))
		if s != known {
			return limit.DataOperand.Says("the mask of CTAs depends on data")
		}
		targets = nil
		for r := range w.m.ctas {
			if m>>r&1 != 0 {
				targets = append(targets, order.Shared(r, object))
			}
		}
	}
	for _, t := range targets {
		w.out.ArriveWhenDone(in.Place, mask, t, order.Unit(in.Mode), flags)
		if o := w.m.object(t); in.Flags&ir.NoInc != 0 {
			o.pending -= int64(count(mask))
			o.last = in.Place
			w.m.complete(o)
		}
	}
	return limit.Reason{}
}
