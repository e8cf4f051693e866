package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
)

// fenceBehindBarrier (FP205) reports a proxy fence that the writers of a buffer execute behind the barrier after which
// one of them issues a bulk store of it. A fence is for what its own thread has ordered so far (PTX ISA 9.7.13.4): those
// of the others stand beside the copy, not before it. A fence by the issuing thread alone is somebody's decision, and the
// memory model grants it; one that everybody executes was meant to come first (notes/semantics.md 4.6).
func fenceBehindBarrier(p *Pass) {
	for i, t := range p.sites {
		source := p.buffers(p.bulkSource(i))
		if len(source) == 0 {
			continue
		}
		fence, barrier := p.fenceAfter(i)
		if barrier == nil {
			continue
		}
		for j := barrier.order - 1; j >= 0; j-- {
			s := p.sites[j]
			if s.op.Kind == dialect.FenceProxy || (s.op.Kind == unknownCall && mayFence(s.op.Name)) {
				break
			}
			name := p.written(s, source)
			if name == "" || exclusive(s, t) || !fewer(t, s) {
				continue
			}
			f := p.report(fence.span, "the writers of %q execute the proxy fence behind the barrier; expected it between their writes and the barrier", name)
			p.label(f, s.span, "written here by more threads than the one that issues the copy")
			p.label(f, barrier.span, "the threads meet here")
			p.label(f, t.span, "copied here: the fences of the other threads are not ordered before this")
			f.Help = "swap the two: each writer executes fence.proxy.async, then the barrier, then one thread issues the copy"
			break
		}
	}
}

// fenceAfter finds the proxy fence in front of the copy at site i, executed by more threads than issue it, and the
// barrier right in front of that.
func (p *Pass) fenceAfter(i int) (fence, barrier *site) {
	t := p.sites[i]
	for j := i - 1; j >= 0; j-- {
		s := p.sites[j]
		switch {
		case s.op.Kind == dialect.FenceProxy:
			if !fewer(t, s) || fewer(s, t) {
				return nil, nil
			}
			fence = s
		case s.op.Kind == dialect.CtaSync, s.op.Kind == dialect.NamedBarrierSync:
			if exclusive(s, t) {
				continue
			}
			if fence == nil {
				return nil, nil
			}
			return fence, s
		case joins[s.op.Kind], s.op.Kind == unknownCall && mayFence(s.op.Name):
			return nil, nil
		}
	}
	return nil, nil
}

// fewer reports whether site t is surely reached by fewer threads of the CTA than site s, or by one of each warp that
// reaches s.
func fewer(t, s *site) bool {
	var extra []*guard
	for _, g := range t.guards {
		if !hasGuard(s.guards, g) {
			extra = append(extra, g)
		}
	}
	set := threadsOf(extra)
	return proper(set.lanes) || proper(set.warps)
}

func proper(s share) bool { return s == oneOf || s == someOf }
