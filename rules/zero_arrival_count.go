package rules

import "github.com/fencepost-dev/fencepost/dialect"

// zeroCount (FP107) reports an mbarrier initialised for no arrivals (CT-04): PTX allows 1 to 2^20-1.
func zeroCount(p *Pass) {
	for _, s := range p.sites {
		if s.op.Kind != dialect.MbarrierInit {
			continue
		}
		if n, ok := s.owner.fold(s.arg("count")); ok && n <= 0 {
			f := p.report(s.span, "mbarrier %q is initialised for %d arrivals; expected 1 to 1048575", p.name(s), n)
			f.Help = "give the number of arrivals one phase takes; check integer divisions that round to zero"
		}
	}
}
