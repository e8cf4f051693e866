package check

import (
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/rules"
)

// dependent tells of a kernel that may start before those before it have ended, reads global memory and in which no thread ever waits for them (FP306). What is not followed may wait. Where no launch says
// so, a kernel that itself lets others start early is meant for such a chain if all other kernels of the file that do that wait.
func (k *compiledKernel) dependent(opt *Options, all []*compiledKernel) []finding.Finding {
	if k.whole == nil || !opt.enabled("FP306") {
		return nil
	}
	n := slices.IndexFunc(k.whole.Launches, func(l ir.Launched) bool { return l.Dependent != "" })
	var sibling *compiledKernel
	if n < 0 && k.grids(ir.LaunchDependents) {
		for _, o := range all {
			switch {
			case o == k || o.whole == nil || !o.grids(ir.LaunchDependents):
			case !o.grids(ir.WaitForGrids): // the first of a chain waits for nobody
				return nil
			default:
				sibling = o
			}
		}
	}
	if n < 0 && sibling == nil || k.grids(ir.WaitForGrids) {
		return nil
	}
	first := -1
	for at := range k.whole.Insts {
		switch in := &k.whole.Insts[at]; {
		case sibling == nil && (in.Op == ir.Call || in.Op == ir.Stop || in.Op == ir.Outside && in.Flags&ir.MayMeet != 0):
			return nil
		case in.Op == ir.Load && in.Space == ir.Global && first < 0:
			first = at
		}
	}
	if first < 0 {
		return nil
	}
	r, where := rules.ByID("FP306"), k.site(placeOf(k.whole, int32(first)))
	if where.Line == 0 {
		return nil
	}
	fd := finding.Finding{Rule: r.ID, Name: r.Name, Severity: finding.Warning, Location: opt.wholeLine(k.file.Source, where), Kernel: k.fn.Qualified, KernelLines: k.lines(),
		Help: "let all threads wait before they access what the kernels before have written, or still read: cudaGridDependencySynchronize()"}
	if sibling == nil {
		fd.Message = first120("this reads global memory, and no thread waits for the kernels before (may start early: " + path.Base(k.whole.Launches[n].Dependent) + ")")
		return []finding.Finding{fd}
	}
	fd.Message = first120("this reads global memory, and no thread waits for the kernels before; the kernel lets those behind it start early")
	fd.Notes = append(fd.Notes, "no launch is found that lets this kernel start early; "+sibling.fn.Qualified+", which lets others start early as well, waits")
	return []finding.Finding{fd}
}

// grids reports whether the kernel has an instruction about the grids before, or behind, it.
func (k *compiledKernel) grids(mode uint8) bool {
	return slices.ContainsFunc(k.whole.Insts, func(in ir.Inst) bool { return in.Op == ir.GridDependency && in.Mode == mode })
}
