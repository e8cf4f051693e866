package check

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
)

// mechanisms says what a kernel of the IR synchronizes with.
func mechanisms(k *ir.Kernel) (out []string) {
	used := map[string]bool{}
	for n := range k.Insts {
		switch in := &k.Insts[n]; {
		case in.Op.Does(ir.Counts):
			used[dialect.Mbarriers] = true
		case in.Op == ir.BarrierCTA && (in.Flags&ir.Arrives != 0 || in.A != ir.Operand{Reg: -1} || in.B != ir.Operand{Reg: -1}):
			used[dialect.NamedBarriers] = true
		case in.Op == ir.BarrierCluster:
			used[dialect.Clusters] = true
		case in.Space != ir.Shared && (in.Op == ir.Atomic || in.Op.Accesses() && in.Order > ir.Weak):
			used[dialect.Flags] = true
		}
	}
	for _, m := range dialect.Mechanisms {
		if used[m] {
			out = append(out, m)
		}
	}
	return out
}
