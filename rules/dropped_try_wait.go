package rules

import "github.com/fencepost-dev/fencepost/dialect"

// droppedTryWait (FP110) reports a single try_wait or test_wait whose answer nobody looks at (SP-04): it may return
// false while the phase is still incomplete.
func droppedTryWait(p *Pass) {
	for _, s := range p.sites {
		if (s.op.Kind != dialect.MbarrierTryWait && s.op.Kind != dialect.MbarrierTestWait) || s.used || s.spin != nil {
			continue
		}
		f := p.report(s.span, "%s on %q drops its result; expected a retry loop or a use of the returned predicate", s.op.Kind, p.name(s))
		f.Help = "use the blocking wait, or loop until the call returns true"
	}
}
