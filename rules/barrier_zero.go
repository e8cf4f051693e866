package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
)

// maxAlike is how many further places of one mistake are named.
const maxAlike = 3

// barrierZero (FP409) reports named barrier 0 with a thread count in a function that also uses it for the whole CTA:
// __syncthreads is barrier 0 (NB-02; PTX ISA 9.7.13.1).
func barrierZero(p *Pass) {
	var whole *site
	for _, s := range p.sites {
		if s.op.Kind == dialect.CtaSync {
			whole = s
			break
		}
	}
	if whole == nil {
		return
	}
	var told *finding.Finding
	more := 0
	for _, s := range p.sites {
		if !namedBarrierSite(s) {
			continue
		}
		id, ok := s.owner.fold(s.arg("id"))
		if !ok || id != 0 || s.arg("count") == nil {
			continue
		}
		if n, known := s.owner.fold(s.arg("count")); known && n == p.block() {
			continue
		}
		if told != nil { // the same mistake
			if more++; more <= maxAlike {
				p.label(told, s.span, "here, too")
			}
			continue
		}
		f := p.report(s.span, "named barrier 0 counts some threads, but is that of all threads of the CTA, too")
		p.label(f, whole.span, "this is barrier 0 as well")
		f.Help = "take an id from 1 on; libraries keep ids for themselves (CUTLASS 1 to 7)"
		told = f
	}
}
