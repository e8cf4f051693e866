package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

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
	passedOn(p)
}

// passedOn reports, in CuTe DSL, a thread that waits until its own CTA's stage is filled and then arrives on the peer's
// barrier of the same pipeline without naming a scope: it announces data of this CTA that the peer is about to read.
// The DSL documents the absent scope as cta (notes/cutedsl.md 1.2), so the peer need not see what the wait saw.
func passedOn(p *Pass) {
	if p.File.Language != program.CuTe {
		return
	}
	for i, s := range p.sites {
		object := arriveAtPeer(s)
		if object == "" {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			w := p.sites[j]
			if waitedObject(w) != object || exclusive(w, s) || len(w.guards) > len(s.guards) || len(w.loops) != len(s.loops) {
				continue
			}
			f := p.report(s.span, "arrive on %q in another CTA passes on this CTA's data with the default cta scope; expected cluster", object)
			p.label(f, w.span, "the data it passes on are complete here")
			f.Help = "arrive with release order at cluster scope, and let the peer wait with acquire order at cluster scope"
			break
		}
	}
}

// arriveAtPeer names the pipeline or barrier that a site arrives on in another CTA with no scope given, "" if none.
func arriveAtPeer(s *site) string {
	c := s.op.Call
	switch {
	case c == nil || s.op.Has("scope"):
		return ""
	case s.op.Kind == dialect.MbarrierArrive && s.op.Has("peer") && remote(s):
		return s.barrier().base
	case s.op.Kind == unknownCall && lastWord(s.op.Name) == "arrive_mbarrier" && names(c, "dst_rank"):
		root, _, _ := strings.Cut(s.op.Name, ".")
		return root
	}
	return ""
}

// names reports whether a call gives a keyword a value other than None.
func names(c *program.Call, keyword string) bool {
	for _, k := range c.Keywords {
		if _, none := k.Value.(*program.None); k.Name == keyword && !none {
			return true
		}
	}
	return false
}

// waitedObject names the pipeline or barrier whose filled stage a site waits for, "" if none.
func waitedObject(s *site) string {
	switch {
	case s.op.Kind == dialect.MbarrierWait:
		return s.barrier().base
	case s.op.Kind == unknownCall && lastWord(s.op.Name) == "consumer_wait":
		root, _, _ := strings.Cut(s.op.Name, ".")
		return root
	}
	return ""
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
		case s.op.Kind == dialect.Fence || s.op.Kind == dialect.GridSync || (s.op.Kind == unknownCall && narrow != nil && mayFence(s.op.Name)):
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
