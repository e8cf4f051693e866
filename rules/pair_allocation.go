package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// pairAllocation (FP601) reports a kernel that allocates tensor memory for a pair of CTAs before it has met the other CTA
// of the pair: the allocation is one for both of them (PTX ISA 9.7.16.7, .cta_group::2), and CTAs of a cluster, though
// scheduled together, do not start together.
func pairAllocation(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	for i, s := range p.sites {
		if meetsPeers(s) {
			return
		}
		if !p.allocatesForPair(s) {
			continue
		}
		f := p.report(s.span, "tensor memory of a pair of CTAs is allocated before the two have met; expected a cluster barrier before it")
		for _, o := range p.sites[i+1:] {
			if o.op.Kind == dialect.ClusterSync || o.op.Kind == dialect.ClusterWait {
				p.label(f, o.span, "the first place where it is known that the other CTA runs")
				break
			}
		}
		f.Help = "execute the cluster barrier (cute::cluster_sync) before the allocation, too"
		return
	}
}

// meetsPeers reports whether threads of other CTAs are waited for at a site, or may be.
func meetsPeers(s *site) bool {
	switch s.op.Kind {
	case dialect.ClusterSync, dialect.ClusterWait, dialect.ClusterArrive, dialect.GridSync:
		return true
	case unknownCall:
		name := strings.ToLower(s.op.Name)
		return strings.Contains(name, "cluster") && mayFence(name) || strings.Contains(name, "pipeline_init") || strings.Contains(name, "setup")
	}
	return false
}

// allocatesForPair reports whether a site is the allocation by CUTLASS's allocator for two CTAs (cute/arch/
// tmem_allocator_sm100.hpp).
func (p *Pass) allocatesForPair(s *site) bool {
	c := s.op.Call
	if s.op.Kind != unknownCall || c == nil {
		return false
	}
	method, ok := c.Fun.(*program.Attr)
	if !ok || method.Name != "allocate" || len(c.Args) != 2 {
		return false
	}
	typ := s.in.fn.typeOf(method.X)
	return strings.Contains(typ, pairAllocator) || strings.Contains(p.aliased(lastWord(typ)), pairAllocator)
}

const pairAllocator = "Allocator2Sm"

// aliased is what `using name = …;` in the function or the file says, "" if there is none. The tree keeps no aliases of
// functions.
func (p *Pass) aliased(name string) string {
	text := string(p.File.Source.Data)
	head := "using " + name + " ="
	within := text[min(p.fn.fn.Span.Start, len(text)):min(p.fn.fn.Span.End, len(text))]
	for _, part := range [...]string{within, text} {
		if _, rest, ok := strings.Cut(part, head); ok && name != "" {
			value, _, _ := strings.Cut(rest, ";")
			return value
		}
	}
	return ""
}
