package barriers

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// missingFences are fences that operations of the tensor core need and of which a kernel has none at all. Where there is one it is taken to
// stand where it has to.
func missingFences(k *ir.Kernel) (out []exec.Halt) {
	has := func(mode ir.Proxy) bool {
		return slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Op == ir.Fence && in.Mode == mode })
	}
	first := func(ops ...ir.Op) *ir.Place {
		for i := range k.Insts {
			if slices.Contains(ops, k.Insts[i].Op) {
				return &k.Places[k.Insts[i].Place]
			}
		}
		return nil
	}
	stores := slices.ContainsFunc(k.Insts, func(in ir.Inst) bool {
		return (in.Op.Accesses() && in.Op.Does(ir.Writes) || in.Op == ir.Matrix && in.Flags&ir.Write != 0) && (in.Space == ir.Shared || in.Space == ir.Generic && k.FromShared(&in))
	})
	for _, c := range []struct {
		at      *ir.Place
		missing bool
		why     string
	}{
		{first(ir.TensorMultiply, ir.TensorCopy, ir.WarpgroupMultiply), stores && !has(ir.ProxyAsync), "the kernel writes shared memory and has no fence.proxy.async, which what is read here needs (PTX ISA 9.7.15.4, 9.7.16.6.5)"},
		{first(ir.WarpgroupMultiply), !has(ir.WgmmaFence), "the kernel has no wgmma.fence, which the first multiplication needs (PTX ISA 9.7.15.7.1)"},
		{first(ir.TensorLoad), !has(ir.Tcgen05After), "the kernel has no tcgen05.fence::after_thread_sync, which what is ordered by a wait needs (PTX ISA 9.7.16.6.4)"},
	} {
		if c.at != nil && c.missing {
			out = append(out, exec.Halt{Place: c.at, Why: limit.Fence.Says(c.why)})
		}
	}
	return out
}
