package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

func namedBarrierSite(s *site) bool {
	return s.op.Kind == dialect.NamedBarrierSync || s.op.Kind == dialect.NamedBarrierArrive || s.op.Kind == dialect.NamedBarrierObject
}

// namedBarrierID (FP401) reports a named barrier outside the sixteen a CTA has (NB-01), CUTLASS's offset of eight
// for user barriers added.
func namedBarrierID(p *Pass) {
	for _, s := range p.sites {
		if !namedBarrierSite(s) {
			continue
		}
		id, ok := s.owner.fold(s.arg("id"))
		if !ok || (id >= 0 && id <= 15) {
			continue
		}
		if b, shifted := s.arg("id").(*program.Binary); shifted && s.op.Call != nil && b.Where() == b.X.Where() {
			f := p.report(s.span, "named barrier %d is user barrier %d after CUTLASS adds 8; expected 0 to 7", id, id-8)
			f.Help = "CUTLASS keeps barriers 0 to 7 for itself; user ids are 0 to 7 and become 8 to 15"
			continue
		}
		f := p.report(s.span, "named barrier id is %d; expected 0 to 15", id)
		f.Help = "a CTA has sixteen named barriers; share one between uses that a CTA barrier separates"
	}
}

// namedBarrierCount (FP402) reports a thread count that is no positive multiple of the warp size, or more than a CTA
// can have (NB-03).
func namedBarrierCount(p *Pass) {
	for _, s := range p.sites {
		if !namedBarrierSite(s) {
			continue
		}
		n, ok := s.owner.fold(s.arg("count"))
		if !ok {
			continue
		}
		limit := p.threadLimit()
		switch {
		case n <= 0 || n%32 != 0:
			f := p.report(s.span, "named barrier counts %d threads; expected a positive multiple of 32", n)
			if s.op.Kind == dialect.NamedBarrierObject { // an object that is never used does no harm
				f.Severity = finding.Warning
			}
			f.Help = "the hardware counts whole warps: give 32 times the number of participating warps"
		case n > limit:
			f := p.report(s.span, "named barrier counts %d threads; expected at most the %d threads of the CTA", n, limit)
			f.Help = "count only the threads that reach this barrier"
		}
	}
}

// threadLimit is the number of threads a launch in this file gives the kernel, or its launch bounds allow, or the
// hardware's 1024.
func (p *Pass) threadLimit() int64 {
	if !p.fn.fn.Kernel {
		return 1024
	}
	if b := p.block(); b > 0 {
		return (b + 31) / 32 * 32
	}
	for _, a := range p.fn.fn.Attributes {
		if c, ok := a.(*program.Call); ok && len(c.Args) > 0 && lastWord(path(c.Fun)) == "__launch_bounds__" {
			if n, known := p.fn.fold(c.Args[0]); known && n > 0 {
				return min(n, 1024)
			}
		}
	}
	return 1024
}
