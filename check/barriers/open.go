package barriers

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
)

// Beyond are the first places at which a kernel does what the checks do not speak of; nil where it does nothing of the kind.
type Beyond struct {
	Grid  *ir.Place // global memory is written, which other CTAs may access
	Order *ir.Place // an access of global memory has an order of its own: others may be ordered by it
	Proxy *ir.Place // an asynchronous operation reads shared memory, which threads write, too, or completes on an mbarrier whose initialisation no fence makes visible to it (PTX ISA 8.6)
	Bytes *ir.Place // a copy brings as many bytes as a tensor map says
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
	for i := range k.Insts {
		in := &k.Insts[i]
		global := in.Space == ir.Global || in.Space == ir.Generic && !k.FromShared(in)
		switch {
		case in.Op.Accesses() && global:
			if in.Op.Does(ir.Writes) {
				note(&b.Grid, in)
			}
			if in.Order != ir.Weak || in.Op == ir.Atomic {
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
	return b
}

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
		met := map[int32]bool{}
		todo := []int32{int32(n) + 1}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			b := fl.BlockOf(at)
			through := true
			for ; at <= fl.Last(b); at++ {
				in := &k.Insts[at]
				if through = !fences(in); !through {
					break
				}
				if in.Op.Does(ir.Blocks) || in.Op == ir.Async {
					return &k.Places[k.Insts[n].Place]
				}
			}
			for _, next := range fl.Next(b) {
				if through && !met[next] {
					met[next] = true
					todo = append(todo, fl.Start(next))
				}
			}
		}
	}
	return nil
}

func mayBeShared(k *ir.Kernel, in *ir.Inst) bool {
	return in.Space == ir.Shared || in.Space == ir.Generic && k.FromShared(in)
}

// GlobalConflict is the first access of global memory that may race within a CTA, in the run that decides a kernel: two threads have one place, and one
// of them writes; and the first one that was compared with no other. They are nil where there is none.
func (r *Report) GlobalConflict(whole *ir.Kernel, lim engine.Limits) (conflict, apart *exec.Halt) {
	l := r.Execution.Launch
	l.Global, l.Limits = true, lim
	if l.CTA == nil { // where the CTA is moves all its places alike
		l.CTA = &[3]int{}
	}
	e, err := exec.Run(whole.ReducedGlobal(), l)
	switch {
	case err != nil:
		return &exec.Halt{Why: err.Error()}, nil
	case e.Stop != nil:
		return e.Stop, nil
	}
	return e.Global, e.Apart
}
