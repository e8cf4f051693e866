package barriers

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// Beyond are the first places at which a kernel does what the checks do not speak of; nil where it does nothing of the kind.
type Beyond struct {
	Grid  *ir.Place // global memory is written, which other CTAs may access
	Order *ir.Place // an access of global memory has an order of its own: others may be ordered by it
	Proxy *ir.Place // an asynchronous operation reads shared memory, which threads write, too, or completes on an mbarrier whose initialisation no fence makes visible to it (PTX ISA 8.6)
	Bytes *ir.Place // a copy brings as many bytes as a tensor map says
	Ahead *ir.Place // global memory is read before a wait for the grids before this one, which may write it (PTX ISA 9.7.13.13)
}

// Or is what is beyond of one kernel, and where nothing is, of another: an instance of the same template.
func (b Beyond) Or(other Beyond) Beyond {
	return Beyond{cmp.Or(b.Grid, other.Grid), cmp.Or(b.Order, other.Order), cmp.Or(b.Proxy, other.Proxy), cmp.Or(b.Bytes, other.Bytes), cmp.Or(b.Ahead, other.Ahead)}
}

// BeyondOf looks at the instructions of a kernel, which may be launched in clusters.
func BeyondOf(k *ir.Kernel, clustered bool) (b Beyond) {
	note := func(at **ir.Place, in *ir.Inst) {
		if *at == nil {
			*at = &k.Places[in.Place]
		}
	}
	stores := slices.ContainsFunc(k.Insts, func(in ir.Inst) bool {
		return in.Op.Accesses() && in.Op.Does(ir.Writes) && mayBeShared(k, &in)
	})
	fenced := slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Op == ir.Fence && in.Scope > ir.ScopeCTA })
	for i := range k.Insts {
		in := &k.Insts[i]
		switch {
		case in.Op.Accesses() && (in.Space == ir.Global || in.Space == ir.Generic && !k.FromShared(in)): // of others A may be a predicate
			if in.Op.Does(ir.Writes) {
				note(&b.Grid, in)
			}
			counts := in.Op == ir.Atomic && in.Order <= ir.Relaxed && !fenced && (in.D < 0 || !k.Reads(in.D)) // nobody sees by it what else was done
			if (in.Order != ir.Weak || in.Op == ir.Atomic) && !counts {
				note(&b.Order, in)
			}
		case in.Op == ir.WarpgroupMultiply, in.Op == ir.TensorMultiply, in.Op == ir.TensorCopy, in.Op == ir.Async && in.Flags&ir.FromShared != 0:
			if stores {
				note(&b.Proxy, in)
			}
		}
		switch {
		case in.Op == ir.Async && in.Flags&ir.ToShared == 0:
			note(&b.Grid, in)
		case in.Op == ir.Async && in.Flags&ir.Tensor != 0:
			note(&b.Bytes, in)
		case (in.Op == ir.MbarArrive || in.Op == ir.MbarTest) && in.Order == ir.Relaxed,
			in.Op == ir.MbarTest && clustered && in.Scope == ir.ScopeCTA: // it may order nothing of what others did (PTX ISA 8.5)
			note(&b.Order, in)
		}
	}
	if b.Proxy == nil && (clustered || slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Op == ir.Async && ir.Unit(in.Mode) == ir.Bulk })) {
		b.Proxy = unfenced(k)
	}
	b.Ahead = ahead(k)
	return b
}

// ahead is the first read of global memory from which threads may come to a wait for the grids before, or to which they may come with neither a wait of their own nor a barrier
// of the CTA behind one; nil where there is none.
func ahead(k *ir.Kernel) *ir.Place {
	fl := k.Flow()
	waits := map[int32]int32{} // the last one of each block
	var todo []int32
	for n := range k.Insts {
		if in := &k.Insts[n]; in.Op == ir.GridDependency && in.Mode == ir.WaitForGrids {
			b := fl.BlockOf(int32(n))
			if waits[b] = int32(n); !slices.Contains(todo, b) {
				todo = append(todo, b)
			}
		}
	}
	if len(waits) == 0 {
		return nil
	}
	over := map[int32]bool{} // blocks behind which there is one
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:]
		for _, before := range fl.Before(b) {
			if !over[before] {
				over[before] = true
				todo = append(todo, before)
			}
		}
	}
	for n := range k.Insts {
		in := &k.Insts[n]
		b := fl.BlockOf(int32(n))
		last, met := waits[b]
		if !over[b] && !(met && int32(n) < last) && passed(k, int32(n), waits, over) || !fl.Reached(b) {
			continue
		}
		if in.Op.Accesses() && in.Op.Does(ir.Reads) && (in.Space == ir.Global || in.Space == ir.Generic && !k.FromShared(in)) || in.Op == ir.Async && in.Flags&ir.ToShared != 0 && in.Flags&ir.FromShared == 0 {
			return &k.Places[in.Place]
		}
	}
	return nil
}

// passed reports whether all ways to an instruction come by one of some waits, the last of each block, or by a barrier of the CTA from which none of them is come to.
func passed(k *ir.Kernel, n int32, waits map[int32]int32, over map[int32]bool) bool {
	fl := k.Flow()
	before := func(at int32) bool {
		b, of := fl.BlockOf(at), fl.BlockOf(n)
		return b != of && fl.Dominates(b, of) || b == of && at < n
	}
	for _, w := range waits {
		if before(w) {
			return true
		}
	}
	for at := range k.Insts {
		if b := fl.BlockOf(int32(at)); k.Insts[at].Op == ir.BarrierCTA && !over[b] && waits[b] <= int32(at) && before(int32(at)) {
			return true
		}
	}
	return false
}

// Astray is an access of another CTA's shared memory by a thread that has not waited for the cluster before, so that the CTA may not have begun, or behind which it
// tells that CTA nothing, so that all its threads may have exited (PTX ISA 2.2.2); nil where there is none. The order of mbarriers with their initialisation and
// their last use is asked elsewhere.
func (r *Report) Astray() *ir.Place {
	program := r.Execution.Program
	if !slices.ContainsFunc(program.Warps, func(w *order.Warp) bool { return w.CTA > 0 }) {
		return nil
	}
	waits := map[int]int{} // of the cluster, by CTA, of the thread that has most
	for _, w := range program.Warps {
		var mine [ir.Lanes]int
		for k := range w.Commands {
			if c := &w.Commands[k]; c.Kind == order.ClusterWait {
				for l := range mine {
					mine[l] += int(c.Mask >> l & 1)
				}
			}
		}
		waits[w.CTA] = max(waits[w.CTA], slices.Max(mine[:]))
	}
	for _, w := range program.Warps {
		var begun, arrived [ir.Lanes]int // how often a lane has waited for the cluster, and arrived
		type access struct{ lane, cta int }
		owed := map[access]*order.Command{} // what is told nobody yet
		for k := range w.Commands {
			c := &w.Commands[k]
			for l := 0; l < ir.Lanes; l++ {
				if c.Mask>>l&1 == 0 {
					continue
				}
				switch {
				case c.Kind == order.ClusterWait:
					begun[l]++
				case c.Kind == order.ClusterArrive:
					arrived[l]++
					for cta, most := range waits {
						if most >= arrived[l] {
							delete(owed, access{l, cta})
						}
					}
				case c.Kind == order.MbarArrive:
					delete(owed, access{l, home(c.A)})
				case c.Kind.Access():
					if to := home(uint32(int64(c.A) + int64(l)*int64(c.B))); to != w.CTA {
						if begun[l] == 0 {
							return &r.Execution.Kernel.Places[c.Place]
						}
						owed[access{l, to}] = c
					}
				case c.Kind == order.AsyncCopy:
					for _, s := range w.Copy(c).Accesses {
						if home(s.Base) != w.CTA && begun[l] == 0 {
							return &r.Execution.Kernel.Places[c.Place]
						}
					}
				}
			}
		}
		first := -1
		for _, c := range owed {
			if first < 0 || int(c.Place) < first {
				first = int(c.Place)
			}
		}
		if first >= 0 {
			return &r.Execution.Kernel.Places[first]
		}
	}
	return nil
}

// Unkept is an access of another CTA's shared memory by a CTA that from there on tells nobody outside of it anything: the others may run to their end while
// the thread is about to make the access. Nil where there is none.
func (r *Report) Unkept() *ir.Place {
	program := r.Execution.Program
	tells := map[int]bool{} // by CTA, whether a warp tells others something behind its last wait for the cluster
	rest := make([][]order.Command, len(program.Warps))
	for n, w := range program.Warps {
		end := len(w.Commands)
		for end > 0 && keepsToItself(w, &w.Commands[end-1]) {
			end--
		}
		rest[n] = w.Commands[end:]
		tells[w.CTA] = tells[w.CTA] || end > 0 && w.Commands[end-1].Kind != order.ClusterWait
	}
	for n, w := range program.Warps {
		if tells[w.CTA] {
			continue
		}
		for _, c := range rest[n] {
			for l := 0; l < ir.Lanes && c.Kind.Access(); l++ {
				if to := home(uint32(int64(c.A) + int64(l)*int64(c.B))); c.Mask>>l&1 != 0 && to != w.CTA && to < program.CTAs {
					return &r.Execution.Kernel.Places[c.Place]
				}
			}
		}
	}
	return nil
}

// Unbegun is an access of another CTA's shared memory by a warp that has waited for nothing from outside of its CTA before, and neither have those that it met: the other CTA may
// not have started (CUDA C++ Programming Guide, distributed shared memory: all thread blocks have to have started executing). nil: there is none.
func (r *Report) Unbegun() *ir.Place {
	program := r.Execution.Program
	heard := map[int]int{} // by CTA: how often its threads have met when the first warp that waits for something from outside has done so
	segments := func(w *order.Warp, visit func(met int, c *order.Command) bool) {
		met := 0
		for i := range w.Commands {
			if !visit(met, &w.Commands[i]) {
				return
			}
			if w.Commands[i].Kind == order.NamedSync {
				met++
			}
		}
	}
	hears := func(c *order.Command) bool {
		return c.Kind == order.ClusterWait || c.Kind == order.MbarWait || c.Kind == order.MbarWaitToken
	}
	for _, w := range program.Warps {
		segments(w, func(met int, c *order.Command) bool {
			if least, known := heard[w.CTA]; hears(c) && (!known || met < least) {
				heard[w.CTA] = met
			}
			return !hears(c)
		})
	}
	for _, w := range program.Warps {
		var at *ir.Place
		segments(w, func(met int, c *order.Command) bool {
			for l := 0; l < ir.Lanes && c.Kind.Access(); l++ {
				if to := home(uint32(int64(c.A) + int64(l)*int64(c.B))); c.Mask>>l&1 != 0 && to != w.CTA && to < program.CTAs {
					at = &r.Execution.Kernel.Places[c.Place]
				}
			}
			least, known := heard[w.CTA]
			return at == nil && !hears(c) && (!known || met <= least)
		})
		if at != nil {
			return at
		}
	}
	return nil
}

// keepsToItself reports whether nobody outside of its CTA waits for a command of a warp.
func keepsToItself(w *order.Warp, c *order.Command) bool {
	switch c.Kind {
	case order.Read, order.Write, order.NamedArrive, order.NamedSync, order.WarpSync, order.WarpMeet, order.AsyncCommit, order.AsyncWait:
		return true // nobody polls memory in a kernel that is followed to its end
	case order.MbarInit, order.MbarInval, order.MbarArrive, order.MbarDrop, order.MbarExpect, order.MbarComplete, order.MbarWait, order.MbarWaitToken:
		return home(c.A) == w.CTA
	}
	return false
}

// Narrow is an arrival on an mbarrier of another CTA that has the scope of the CTA, as it has where it names none: what its thread did before is not ordered for that CTA
// (PTX ISA 8.5, 9.7.13.15.13); nil where there is none.
func (r *Report) Narrow() *ir.Place {
	k := r.Execution.Kernel
	narrow := map[uint32]bool{}
	for n := range k.Insts {
		if in := &k.Insts[n]; in.Op == ir.MbarArrive && in.Scope == ir.ScopeCTA {
			narrow[in.Place] = true
		}
	}
	for _, w := range r.Execution.Program.Warps {
		for n := range w.Commands {
			if c := &w.Commands[n]; (c.Kind == order.MbarArrive || c.Kind == order.MbarDrop) && narrow[c.Place] && home(c.A) != w.CTA {
				return &k.Places[c.Place]
			}
		}
	}
	return nil
}

// home is the CTA of the cluster whose shared memory an address is in.
func home(at uint32) int { return int(at / order.Shared(1, 0)) }

// unfenced is the initialisation of an mbarrier behind which threads may meet before a fence makes it visible to the asynchronous proxy and to the cluster
// (PTX ISA 9.7.13.4); nil where there is none. A way round a fence counts, whether or not its guards go together with
// those of the initialisation.
func unfenced(k *ir.Kernel) *ir.Place {
	fl := k.Flow()
	fences := func(in *ir.Inst) bool {
		return in.Op == ir.Fence && (in.Mode == ir.MbarrierInit || in.Mode == ir.ProxyAsync)
	}
	for n := range k.Insts {
		if k.Insts[n].Op != ir.MbarInit || !fl.Reached(fl.BlockOf(int32(n))) {
			continue
		}
		if fl.Behind(int32(n), func(at int32) ir.Heading {
			switch in := &k.Insts[at]; {
			case fences(in):
				return ir.Aside
			case in.Op.Does(ir.Blocks) || in.Op == ir.Async:
				return ir.Found
			}
			return ir.Onward
		}) >= 0 {
			return &k.Places[k.Insts[n].Place]
		}
	}
	return nil
}

func mayBeShared(k *ir.Kernel, in *ir.Inst) bool {
	return in.Space == ir.Shared || in.Space == ir.Generic && k.FromShared(in)
}
