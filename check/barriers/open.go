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
	Proxy *ir.Place // an asynchronous operation reads shared memory, which threads write, too (PTX ISA 8.6)
}

// BeyondOf looks at the instructions of a kernel.
func BeyondOf(k *ir.Kernel) (b Beyond) {
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
		if in.Op == ir.Async && in.Flags&ir.ToShared == 0 {
			note(&b.Grid, in)
		}
	}
	return b
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
	case e.Trap != nil: // behind that nothing was seen
		return &exec.Halt{Place: e.Trap, Why: "the threads of CTA 0 come to a trap, or a premise is not so for them"}, nil
	}
	return e.Global, e.Apart
}
