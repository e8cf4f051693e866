package check

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
)

// stageCalls are what is left out of a turn with a stage, as CUTLASS calls it.
var stageCalls = map[ir.StageAct]string{ir.StageAcquire: "producer_acquire", ir.StageCommit: "producer_commit", ir.StageWait: "consumer_wait", ir.StageRelease: "consumer_release"}

// turns tells of turns with the stages of a pipeline in which something is left out (FP126).
func (k *compiledKernel) turns(opt *Options, known []finding.Finding, called bool) (out []finding.Finding) {
	if k.whole == nil {
		return nil
	}
	for _, t := range k.whole.Turns(called) {
		lacks := stageCalls[t.Lacks]
		said, why := "", "the turn ends here, and the next one begins"
		switch t.Lacks {
		case ir.StageWait:
			said, why = fmt.Sprintf("a stage of %s is used and released, and nothing has waited for it", t.Pipeline), "the turn begins here"
		case ir.StageAcquire:
			said, why = fmt.Sprintf("a stage of %s is filled, and nothing has waited until it is free", t.Pipeline), "the turn begins here"
		case ir.StageCommit:
			said = fmt.Sprintf("a stage of %s is acquired, and it is never said that it is filled", t.Pipeline)
		case ir.StageRelease:
			said = fmt.Sprintf("a stage of %s is waited for, and never given back", t.Pipeline)
		}
		labels := map[int32]string{}
		if t.Advance >= 0 {
			labels[t.Advance] = why
		}
		if fd := k.toldAt(opt, known, out, finding.Warning, "FP126", t.Inst, said+"; expected "+lacks, labels,
			"call "+lacks+" with the state of this stage in each turn"); fd != nil {
			out = append(out, *fd)
		}
	}
	return out
}
