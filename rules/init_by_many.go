package rules

import "github.com/fencepost-dev/fencepost/dialect"

// initByMany (FP109) reports an mbarrier that a kernel lets a whole warp or CTA initialise (IN-04).
func initByMany(p *Pass) {
	if !p.fn.fn.Kernel {
		return // the guard may be the caller's
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
		f.Help = "guard the initialisation with one thread (thread 0, or elect_one in one warp), then fence and synchronize the CTA"
	}
}

// ownBarrier reports whether each thread may initialise a barrier of its own: init(&bar[lane], 1).
func (p *Pass) ownBarrier(s *site) bool {
	b := s.barrier()
	if b.base == "" || b.base == marked {
		return true
	}
	if b.index != nil && s.owner.vary(b.index, 0) > perWarp {
		l := s.loop()
		return l == nil || !l.counted || s.owner.vary(b.index, 0) != anyhow
	}
	return false
}
