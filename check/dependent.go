package check

import (
	"path"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/rules"
)

// dependent tells of a kernel that may start before those before it have ended, reads global memory and in which no thread ever waits for them (FP306). What is not followed may wait.
func (k *compiledKernel) dependent(opt *Options) []finding.Finding {
	if k.whole == nil || !opt.enabled("FP306") {
		return nil
	}
	n := slices.IndexFunc(k.whole.Launches, func(l ir.Launched) bool { return l.Dependent != "" })
	if n < 0 {
		return nil
	}
	first := -1
	for at := range k.whole.Insts {
		switch in := &k.whole.Insts[at]; {
		case in.Op == ir.Call, in.Op == ir.Stop, in.Op == ir.Outside && in.Flags&ir.MayMeet != 0, in.Op == ir.GridDependency && in.Mode == 1:
			return nil
		case in.Op == ir.Load && in.Space == ir.Global && first < 0:
			first = at
		}
	}
	if first < 0 {
		return nil
	}
	r, where := rules.ByID("FP306"), k.site(&k.whole.Places[k.whole.Insts[first].Place])
	if where.Line == 0 {
		return nil
	}
	return []finding.Finding{{Rule: r.ID, Name: r.Name, Severity: finding.Warning, Location: opt.wholeLine(k.file.Source, where), Kernel: k.fn.Qualified, KernelLines: k.lines(),
		Message: first120("this reads global memory, and no thread waits for the kernels before (may start early: " + path.Base(k.whole.Launches[n].Dependent) + ")"),
		Help:    "let all threads wait before they access what the kernels before have written, or still read: cudaGridDependencySynchronize()"}}
}
