package check

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
)

// copiesInFlight tells of waits for copies that wait for none, and of what is read behind them (FP721).
func (k *compiledKernel) copiesInFlight(opt *Options, known []finding.Finding) (out []finding.Finding) {
	if k.whole == nil || k.balanced() && k.Verdict == engine.Holds {
		return nil
	}
	for _, f := range k.whole.CopiesInFlight() {
		left := k.whole.Insts[f.Wait].A.Imm
		said := fmt.Sprintf("this wait leaves %d groups of copies in flight; %d committed so far at first: it waits for none", left, f.Groups)
		if fd := k.toldAt(opt, known, out, finding.Warning, "FP721", f.Wait, said, map[int32]string{f.Copy: "this copy may still be in flight", f.Read: "read here"},
			"leave fewer groups in flight: 0 waits for all of them"); fd != nil {
			out = append(out, *fd)
		}
	}
	return out
}
