package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// boundedBarrier reports a barrier of the CTA that a bounds check of the threads stands around, or a loop that goes round
// as often as the place of the thread allows: unless the bound happens to fit the CTA, some threads do not come. A warning,
// since what the author knows of the bound is not in the file. One finding a check is enough.
func boundedBarrier(p *Pass) {
	if p.File.Language != program.CUDA {
		return
	}
	told := map[source.Span]bool{}
	for _, s := range p.sites {
		if s.op.Kind != dialect.CtaSync && s.collective() == nil {
			continue
		}
		at, why := p.uneven(s)
		if why == "" || told[at] {
			continue
		}
		told[at] = true
		f := p.report(s.span, "%s is %s", meetingWord(p, s), why)
		f.Severity = finding.Warning
		p.label(f, at, "unless bound or data happen to fit the CTA, some of its threads fail this")
		f.Help = "let all threads of the CTA come to it, and check the bound around the work only"
		if later := p.meetsLater(s, at); later != nil {
			p.label(f, later.span, "the others go on to this barrier: the two are taken for one")
		}
	}
}

// uneven finds the check that keeps part of a CTA away from a site, and says how it stands to it; "" if there is none.
// Threads that have left the kernel are not waited for (PTX ISA 9.7.13.1), so an early return is no such check for a
// barrier; it is one for a collective, which counts on what all threads bring, and where only a helper is left.
func (p *Pass) uneven(s *site) (source.Span, string) {
	for _, g := range s.guards {
		if g.built || g.elect || g.ends() && !s.needsAll() || !g.exit && p.balanced(s, g) {
			continue
		}
		test := bounded(term{g.raw, g.in}, g.negated, 0)
		switch {
		case test == nil && ownData(term{g.raw, g.in}, 0):
			return g.raw.Where(), "reached only by the threads that pass a check of data of their own"
		case test == nil:
		case g.ends():
			return test.Where(), "run without the threads that have left, whose parts were never stored"
		default:
			return test.Where(), "reached only by the threads that pass a check of their bound"
		}
	}
	for _, l := range s.loops {
		if l.cond == nil {
			continue
		}
		if test := bounded(term{l.cond, l.in}, false, 0); test != nil {
			return test.Where(), "in a loop that some threads of the CTA may leave earlier than others"
		}
	}
	return source.Span{}, ""
}

// ends reports whether the threads that fail the condition have left the kernel.
func (g *guard) ends() bool {
	i, ok := g.node.(*program.If)
	if !g.exit || !ok || g.in == nil || g.in.outer != nil {
		return false
	}
	body := i.Else
	if g.negated {
		body = i.Then
	}
	return returns(body)
}

// returns reports whether a body always ends by leaving its function.
func returns(body []program.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch s := body[len(body)-1].(type) {
	case *program.Return:
		return true
	case *program.Block:
		return returns(s.Body)
	case *program.If:
		return returns(s.Then) && returns(s.Else)
	}
	return false
}

// needsAll reports whether a site is a collective that combines what every thread of the CTA brings. One that is told how
// many items are valid looks at no others.
func (s *site) needsAll() bool {
	return s.collective() != nil && len(s.op.Call.Args) < 3
}

// meetsLater is the next barrier of the CTA that threads come to which fail the check.
func (p *Pass) meetsLater(s *site, check source.Span) *site {
	for _, o := range p.sites[s.order+1:] {
		if o.op.Kind != dialect.CtaSync {
			continue
		}
		if at, why := p.uneven(o); why == "" || at != check {
			return o
		}
	}
	return nil
}

func meetingWord(p *Pass, s *site) string {
	if s.op.Kind == dialect.CtaSync {
		return barrierWord(p, s)
	}
	return "the collective " + p.text(s.op.Call.Fun)
}
