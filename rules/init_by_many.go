package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
)

// initByMany (FP109) reports an mbarrier that a kernel lets a whole warp or CTA initialise (IN-04).
func initByMany(p *Pass) {
	if !p.fn.fn.Kernel || p.block() == 1 {
		return // in a helper the guard may be the caller's
	}
	for _, s := range p.sites {
		if s.op.Kind != dialect.MbarrierInit || s.op.Args["ptr"].Expr == nil {
			continue
		}
		set := s.threads()
		if set.lanes != allOf || set.warps == unknownShare || p.ownBarrier(s) {
			continue
		}
		who := "every thread of the CTA"
		if set.warps != allOf {
			who = "every lane of a warp"
		}
		f := p.report(s.span, "mbarrier %q is initialised by %s; expected one thread", p.name(s), who)
		if set.warps == oneOf {
			// Converged lanes write the same bits in one instruction; kernels get away with it until they do not.
			f.Severity = finding.Warning
		}
		p.letsIn(f, s)
		f.Help = "guard the initialisation with one thread (thread 0, or elect_one in one warp), then fence and synchronize the CTA"
	}
}

// ownBarrier reports whether each thread may initialise a barrier of its own: init(&bar[lane], 1).
func (p *Pass) ownBarrier(s *site) bool {
	b := s.barrier()
	if b.base == "" || strings.HasPrefix(b.base, marked) {
		return true
	}
	return b.index != nil && s.owner.vary(b.index, 0) > perWarp
}
