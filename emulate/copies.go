package emulate

import "github.com/fencepost-dev/fencepost/engine/order"

// copy executes an asynchronous operation: each lane of the mask issues one. The emulation completes it at once.
func (w *warp) copy(f *fragment, in *inst, mask uint32) outcome {
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := trailing(rest)
		c, why := w.operation(in, l)
		if why != "" {
			return w.halt(f, why)
		}
		w.out.Issue(in.place, 1<<l, c)
		for k := range c.Effects {
			e := &c.Effects[k]
			o := w.m.object(e.Mbar)
			o.bytes -= int64(e.Bytes)
			if in.flags&tensor != 0 {
				if o.copies, o.spans = append(o.copies, e), append(o.spans, &c.Accesses[k]); len(o.copies) > 1 {
					w.miss(in, "the PTX does not say how many of a phase's bytes each of several tensor copies writes")
				}
			}
			o.complete()
		}
	}
	return next
}

// operation is what lane l issues; why says what cannot be followed.
func (w *warp) operation(in *inst, l int) (c order.Copy, why string) {
	c.Unit = order.Unit(in.sub)
	s, size := w.lane(in.b, l)
	if s != known {
		return c, "the number of bytes depends on data" + w.m.code.because(in)
	}
	dst, dstShared, ok := w.endpoint(in, l, 0)
	if !ok && in.flags&toShared != 0 {
		w.miss(in, "where the copy writes depends on data")
		w.m.forgetShared()
	}
	src, srcShared, ok2 := w.endpoint(in, l, 1)
	if !ok2 && in.flags&fromShared != 0 {
		w.miss(in, "where the copy reads depends on data")
	}
	targets, why := w.copyTargets(in, l, dst)
	if why != "" {
		return c, why
	}
	if in.flags&toShared != 0 && dstShared {
		for _, t := range targets {
			c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: t, Size: uint32(size)}, Write: true})
			w.overwritten(t, uint32(size))
		}
		if in.flags&complete != 0 { // an atomic, which races with no other: not a write to the engine
			c.Accesses = c.Accesses[:0]
			w.miss(in, "asynchronous reductions are in no race")
		}
	}
	if in.extra.operands[2] != none {
		mbar, _, ok := w.endpoint(in, l, 2)
		if !ok {
			return c, "the address of the mbarrier depends on data" + w.m.code.because(in)
		}
		all, _ := w.copyTargets(in, l, mbar)
		for _, o := range all {
			c.Effects = append(c.Effects, order.Effect{Mbar: o, Bytes: uint32(size)})
		}
	}
	if in.flags&fromShared != 0 && srcShared {
		if size == 0 {
			w.miss(in, "the PTX does not say how much a tensor copy reads")
		}
		c.Accesses = append(c.Accesses, order.Span{Address: order.Address{Base: src, Size: uint32(size)}})
	}
	if in.flags&tensor != 0 && in.flags&toShared != 0 {
		w.m.assume("the tensor copies of a phase of an mbarrier bring the bytes that it expects, one alone at its destination in one piece")
	}
	return c, ""
}

// endpoint is an address of a copy: destination, source or mbarrier.
func (w *warp) endpoint(in *inst, l, k int) (at uint32, shared, ok bool) {
	o := in.extra.operands[k]
	if o == none {
		return 0, false, true
	}
	s, n := w.lane(o, l)
	n += in.extra.offsets[k]
	if s != known {
		return 0, false, false
	}
	if n>>window<<window == sharedSpace {
		n -= sharedSpace
	}
	at, ok = w.target(n)
	return at, true, ok
}

// copyTargets are the places in the CTAs that a copy goes to: its own, or those of the mask of a multicast.
func (w *warp) copyTargets(in *inst, l int, at uint32) ([]uint32, string) {
	if in.flags&multicast == 0 {
		return []uint32{at}, ""
	}
	s, mask := w.lane(in.extra.operands[3], l)
	if s != known {
		return nil, "the mask of CTAs depends on data" + w.m.code.because(in)
	}
	var out []uint32
	for r := range w.m.ctas {
		if mask>>r&1 != 0 {
			out = append(out, order.Shared(r, at))
		}
	}
	return out, ""
}

// overwritten forgets what shared memory held where a copy writes.
func (w *warp) overwritten(at, size uint32) {
	c := w.m.ctas[at>>rankBits]
	if off := at & offsetMask; c.memory != nil && size > 0 && off+size <= maxShared {
		c.keep(off, size, cell{sym: unknown})
	}
}

// arriveDone executes cp.async.mbarrier.arrive and tcgen05.commit.
func (w *warp) arriveDone(in *inst, mask uint32, object uint32) string {
	targets := []uint32{object}
	var flags order.Flags
	if in.flags&noInc != 0 {
		flags = order.Included
	}
	if in.flags&multicast != 0 {
		s, m := w.lane(in.b, trailing(mask))
		if s != known {
			return "the mask of CTAs depends on data" + w.m.code.because(in)
		}
		targets = nil
		for r := range w.m.ctas {
			if m>>r&1 != 0 {
				targets = append(targets, order.Shared(r, object))
			}
		}
	}
	for _, t := range targets {
		w.out.ArriveWhenDone(in.place, mask, t, order.Unit(in.sub), flags)
		if o := w.m.object(t); in.flags&noInc != 0 {
			o.pending -= int64(count(mask))
			o.complete()
		}
	}
	return ""
}
