package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// divergentBarrier (FP403) reports a CTA-wide or aligned barrier of CuTe DSL under a condition that splits a warp, where the condition itself
// shows it: a lane index, elect_one, or a thread index against a constant. In CUDA C++ the IR tells.
func divergentBarrier(p *Pass) {
	if p.File.Language != program.CuTe {
		return
	}
	for _, s := range p.sites {
		aligned := s.op.Kind == dialect.CtaSync || s.op.Kind == dialect.NamedBarrierSync && s.op.Text("aligned", "") == "true"
		if !aligned {
			continue
		}
		g := splittingGuard(s)
		if g == nil || p.balanced(s, g) {
			continue
		}
		f := p.report(s.span, "%s is reached by part of a warp only; expected all its threads to reach it", barrierWord(s))
		p.label(f, g.node.Where(), "this condition splits the warp")
		f.Help = "move the barrier out of the condition"
	}
}

func barrierWord(s *site) string {
	if s.op.Kind == dialect.NamedBarrierSync {
		return "aligned named barrier"
	}
	return "CTA barrier"
}

// splittingGuard returns the guard that lets only part of a warp through, or nil.
func splittingGuard(s *site) *guard {
	for _, g := range s.guards {
		if g.exit {
			continue // exited threads are not waited for
		}
		if t := g.threads(); t.lanes == oneOf || t.lanes == someOf {
			return g
		}
	}
	return nil
}

// balanced reports whether the other side of the condition has a barrier as well, as code split by role does.
func (p *Pass) balanced(s *site, g *guard) bool {
	for _, o := range p.sites {
		if o == s || o.op.Kind != dialect.CtaSync && o.op.Kind != dialect.NamedBarrierSync {
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
