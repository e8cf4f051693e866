package rules

import "github.com/fencepost-dev/fencepost/dialect"

// ctaScopeRemote (FP301) reports an arrive on another CTA's barrier that names the cta scope (SC-02). The absent form
// is never reported: what it means for a shared::cluster address is disputed (notes/cuda.md, fact 7).
func ctaScopeRemote(p *Pass) {
	for _, s := range p.sites {
		switch s.op.Kind {
		case dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx, dialect.MbarrierExpectTx, dialect.MbarrierCompleteTx:
		default:
			continue
		}
		if s.op.Text("scope", "") != "cta" || !remote(s) {
			continue
		}
		f := p.report(s.span, "arrive on %q in another CTA has scope %q; expected %q", p.name(s), "cta", "cluster")
		f.Notes = append(f.Notes, "with cta scope the arrive orders this thread's writes for its own CTA only")
		f.Help = "give the operation cluster scope"
	}
}

// width orders scopes; unknown words count as wide.
func width(scope string) int {
	switch scope {
	case "cta":
		return 1
	case "cluster":
		return 2
	case "gpu":
		return 3
	}
	return 4
}

// narrowScope (FP302) reports a cta-wide fence, or a cta-wide write, on the way to a flag that a spin loop of the file
// polls across CTAs (SC-03).
func narrowScope(p *Pass) {
	var narrow *site
	for _, s := range p.sites {
		switch {
		case s.op.Kind == dialect.Fence && s.op.Text("scope", "") == "cta":
			narrow = s
			continue
		case s.op.Kind == dialect.Fence || s.op.Kind == dialect.GridSync || (s.op.Kind == unknownCall && mayFence(s.op.Name)):
			narrow = nil
			continue
		case !writesFlag[s.op.Kind] || !p.polledFlag(s):
			continue
		}
		scope := s.op.Text("scope", "")
		if scope == "cta" && p.fn.file.pollScope[p.flagName(s)] > 1 {
			f := p.report(s.span, "flag %q is written with scope %q but polled with a wider one; expected %q", p.name(s), "cta", "gpu")
			f.Help = "use the scope that covers the polling threads on both sides"
			continue
		}
		if narrow != nil && !releases(s) {
			f := p.report(narrow.span, "fence before flag %q has scope %q; expected %q, because other CTAs poll the flag", p.flagName(s), "cta", "gpu")
			p.label(f, s.span, "publishes to other CTAs")
			f.Help = "use a gpu-wide fence (__threadfence, fence_acq_rel_gpu) or a release write of gpu scope"
			narrow = nil
		}
	}
}
