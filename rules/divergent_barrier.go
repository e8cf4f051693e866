package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// divergentBarrier (FP403) reports a CTA-wide or aligned barrier under a condition that splits a warp (DV-01, only
// where the condition itself shows it: a lane index, elect_one, or a thread index against a constant).
func divergentBarrier(p *Pass) {
	for _, s := range p.sites {
		aligned := s.op.Kind == dialect.CtaSync || (s.op.Kind == dialect.NamedBarrierSync && s.op.Text("aligned", "") == "true")
		if !aligned {
			continue
		}
		g := splittingGuard(s)
		if g == nil || p.balanced(s, g) {
			continue
		}
		what := "__syncthreads"
		if s.op.Kind == dialect.NamedBarrierSync {
			what = "aligned named barrier"
		}
		if p.File.Language == program.CuTe && s.op.Kind == dialect.CtaSync {
			what = "CTA barrier"
		}
		f := p.report(s.span, "%s is reached by part of a warp only; expected all its threads to reach it", what)
		p.label(f, g.node.Where(), "this condition splits the warp")
		f.Help = "move the barrier out of the condition"
	}
}

// splittingGuard returns the guard that lets only part of a warp through, or nil.
func splittingGuard(s *site) *guard {
	for i := range s.guards {
		t := s.guards[i].threads()
		if s.guards[i].exit {
			continue // exited threads are not waited for
		}
		if t.lanes == oneOf || t.lanes == someOf {
			return &s.guards[i]
		}
	}
	return nil
}

// balanced reports whether the other side of the condition has a barrier as well, as code split by role does.
func (p *Pass) balanced(s *site, g *guard) bool {
	for _, o := range p.sites {
		if o == s || (o.op.Kind != dialect.CtaSync && o.op.Kind != dialect.NamedBarrierSync) {
			continue
		}
		for _, h := range o.guards {
			if h.node == g.node && h.negated != g.negated {
				return true
			}
		}
	}
	return false
}
