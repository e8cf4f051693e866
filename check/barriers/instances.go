package barriers

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/limit"
)

// Verify is the answer for a kernel: the worst of the instances of its template that the host's text launches. What is violated in one is not
// asked of the others, and what is known of no more than some of them does not hold.
func Verify(k *ir.Kernel, l exec.Launch, o order.Options) (*Report, error) {
	c := newClock(o)
	r, err := answer(k, l, o)
	unread := k.Unread
	for _, other := range k.Others {
		if err != nil || r.Verdict == engine.Violated {
			return r, err
		}
		if c.spent += r.work; c.over() {
			unread = true
			break
		}
		o = c.real(o)
		o.Limits.Work = c.left(0)
		var next *Report
		if next, err = answer(other, l, o); err != nil {
			return nil, err
		}
		if worse(next, r) {
			r, next = next, r
		}
		r.Others = append(append(r.Others, next.Others...), next)
		next.Others = nil
	}
	if err == nil && len(r.Others) > 0 {
		r.Execution.Assumed = append(slices.Clone(r.Execution.Assumed), fmt.Sprintf("of %d instances of its template that are launched the worst", 1+len(r.Others)))
	}
	if err == nil && unread && r.Verdict == engine.Holds {
		r.Verdict = engine.Inconclusive
		r.Reasons = append(r.Reasons, exec.Halt{Why: limit.Template.Sayf("not all instances of its template were looked at: %d of those that are launched", 1+len(r.Others))})
	}
	return r, err
}
