package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// overshotWait (FP503) reports a wait for the very value of a counter that CTAs add to again as soon as they have seen it
// themselves (SP-05): one that looks late finds it past that value, and waits for ever.
func overshotWait(p *Pass) {
	if !p.fn.fn.Kernel {
		return
	}
	for i, s := range p.sites {
		if !p.countedByAll(s) || !s.spin.endsOnEqual() || p.ownNumber(s) {
			continue
		}
		w := p.nextAdd(i)
		if w == nil {
			continue
		}
		f := p.report(s.span, "wait for the very value of %q, which a faster CTA may have passed; expected a wait for at least it", p.flagName(s))
		p.label(f, w.span, "a CTA that has gone on adds again here")
		f.Help = "compare with >= a target that grows, or count rounds in a flag of their own"
	}
}

// ownNumber reports whether a CTA waits for a number of its own, its index or a ticket: nobody passes that before it has
// taken its turn.
func (p *Pass) ownNumber(s *site) bool {
	return p.fn.blockUse(s.until(), 0) != noBlock || p.fn.mentionsAny(s.until(), p.drawn(), 0)
}

// countedByAll reports whether a site polls a counter of the grid that is not one CTA's alone.
func (p *Pass) countedByAll(s *site) bool {
	if s.spin == nil || !polls[s.op.Kind] || s.named || p.shared(s) || p.locks(s) {
		return false
	}
	if scope := s.op.Text("scope", ""); scope == "cta" || scope == "cluster" || scope != "gpu" && scope != "sys" && !p.inGrid(s) {
		return false
	}
	_, one := s.ofOneBlock()
	index := s.barrier().index
	return !one && p.flagName(s) != "" && (index == nil || s.owner.blockUse(index, 0) == noBlock)
}

// nextAdd finds an addition to the counter that comes after the wait at site i: further down, or in the next round of a
// loop around both. Nothing in between may make the CTAs wait for each other.
func (p *Pass) nextAdd(i int) *site {
	s := p.sites[i]
	rest := p.sites[i+1:]
	if l := s.loop(); l != nil {
		rest = nil
		for _, o := range p.sites[i+1:] {
			if inLoop(o, l) {
				rest = append(rest, o)
			}
		}
		for _, o := range p.sites[:i] {
			if inLoop(o, l) {
				rest = append(rest, o)
			}
		}
	}
	for _, o := range rest {
		switch {
		case exclusive(o, s), o.spin == s.spin:
		case o.op.Kind == dialect.GridSync, o.op.Kind == dialect.ClusterSync, o.op.Kind == unknownCall && mayGather(o.op.Name):
			return nil
		case o.spin != nil && polls[o.op.Kind] && p.flagName(o) != p.flagName(s), p.flagName(o) == p.flagName(s) && p.resets(o):
			return nil
		case p.addsTo(o, s):
			return o
		}
	}
	return nil
}

// inLoop reports whether a site stands in a loop.
func inLoop(s *site, l *loop) bool {
	for _, m := range s.loops {
		if m == l {
			return true
		}
	}
	return false
}

// addsTo reports whether a site raises the counter that another polls, in any CTA.
func (p *Pass) addsTo(o, s *site) bool {
	if o.spin != nil || p.flagName(o) != p.flagName(s) || o.op.Kind != dialect.AtomicAdd && o.op.Kind != dialect.Reduce {
		return false
	}
	_, one := o.ofOneBlock()
	n, known := o.owner.fold(o.arg("value"))
	return !one && (!known || n > 0)
}

// endsOnEqual reports whether the loop goes on until what it polls equals something that is not 0.
func (l *loop) endsOnEqual() bool {
	until := func(x program.Expr, leaves bool) bool {
		negated := false
		for {
			u, ok := x.(*program.Unary)
			if !ok || u.Op != "!" {
				break
			}
			x, negated = u.X, !negated
		}
		b, ok := x.(*program.Binary)
		if !ok || !l.mentionsPoll(b) {
			return false
		}
		for _, side := range []program.Expr{b.X, b.Y} {
			if n, known := l.owner.fold(side); known && n == 0 {
				return false
			}
		}
		return b.Op == "!=" && leaves == negated || b.Op == "==" && leaves != negated
	}
	if until(l.cond, false) {
		return true
	}
	body := loopBody(l)
	for _, s := range body {
		if i, ok := s.(*program.If); ok && leaves(i.Then) && until(i.Cond, true) {
			return true
		}
	}
	return false
}
