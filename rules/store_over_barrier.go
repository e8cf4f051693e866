package rules

import (
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// storeOverBarrier (FP116) reports an ordinary store to the very address at which a function has initialised an mbarrier:
// base + offset, spelt in the same names. An mbarrier is opaque; only mbarrier operations may touch it while it is one (PTX ISA
// 9.7.13.15).
func storeOverBarrier(p *Pass) {
	for i, s := range p.sites {
		bar, at := p.laidOut(p.initialised(s))
		if bar == nil {
			continue
		}
		for _, o := range p.sites[i+1:] {
			if o.op.Kind == dialect.MbarrierInval || p.tired() {
				break
			}
			if o.op.Kind != plainStore || exclusive(s, o) {
				continue
			}
			x, to := p.laidOut(o.arg("ptr"))
			if x == nil || !same(bar, x) || !slices.EqualFunc(at, to, func(a, b definition) bool { return a.node == b.node }) {
				continue
			}
			f := p.report(o.span, "data are stored over an mbarrier: both lie at %q; expected the mbarrier behind the data", p.text(x))
			p.label(f, s.span, "the mbarrier is initialised here")
			f.Help = "leave room for all that is written to the buffer, and put the mbarrier behind it"
			break
		}
	}
}

// initialised is the address of the mbarrier that a site initialises, nil if it does not.
func (p *Pass) initialised(s *site) program.Expr {
	if s.op.Kind == dialect.MbarrierInit {
		return s.arg("ptr")
	}
	if c := s.op.Call; s.op.Kind == unknownCall && c != nil && lastWord(s.op.Name) == "mbarrier_init" && len(c.Args) == 2 {
		return c.Args[0]
	}
	return nil
}

// laidOut takes an address that is a base and an offset, with the definitions of the base that it can mean, nil if it is
// anything else.
func (p *Pass) laidOut(x program.Expr) (program.Expr, []definition) {
	if x == nil {
		return nil, nil
	}
	sum, ok := p.fn.value(x).(*program.Binary)
	if !ok || sum.Op != "+" {
		return nil, nil
	}
	base, ok := sum.X.(*program.Name)
	if _, offset := sum.Y.(*program.Name); !ok || !offset {
		return nil, nil
	}
	defs := p.fn.visible(base.Ident, base.Span.Start)
	return sum, defs
}
