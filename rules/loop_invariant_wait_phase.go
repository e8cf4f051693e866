package rules

import "github.com/fencepost-dev/fencepost/program"

// invariantWaitPhase (FP102) reports a wait in a loop whose phase variable nothing in the loop changes (PH-02).
func invariantWaitPhase(p *Pass) {
	for _, s := range p.sites {
		name := p.phaseVariable(s)
		if name == "" {
			continue
		}
		l, b := p.repeatedWait(s)
		if l == nil || l.varies(s.arg("phase")) || p.otherPhase(l, s, b) {
			continue
		}
		f := p.report(s.span, "wait on %q uses phase %q, which the loop never changes; expected a flip at each completion", p.name(s), name)
		p.label(f, l.header, "no assignment to %s in this loop", name)
		f.Help = "flip the phase (" + name + " ^= 1) when the stage index wraps"
	}
}

// phaseVariable is the local variable a phase consists of: `phase`, `phase ^ 1`, `1 - phase`. Fields, calls and
// subscripts may change where this function does not show it, and give "".
func (p *Pass) phaseVariable(s *site) string {
	if s.owner != p.fn {
		return ""
	}
	x := s.arg("phase")
	if _, constant := p.fn.fold(x); constant || x == nil {
		return ""
	}
	for {
		switch e := x.(type) {
		case *program.Cast:
			x = e.X
			continue
		case *program.Binary:
			if _, ok := p.fn.fold(e.Y); ok {
				x = e.X
				continue
			}
			if _, ok := p.fn.fold(e.X); ok {
				x = e.Y
				continue
			}
		case *program.Name:
			if p.fn.bound[e.Ident] && !p.isPlainParam(e.Ident) {
				return ""
			}
			return e.Ident
		}
		return ""
	}
}

// isPlainParam reports whether the name is a by-value parameter.
func (p *Pass) isPlainParam(name string) bool {
	for _, q := range p.fn.fn.Params {
		if q.Name == name {
			return !q.Ref
		}
	}
	return false
}

// otherPhase reports whether the loop waits on the barrier with another phase too.
func (p *Pass) otherPhase(l *loop, s *site, b barrier) bool {
	for _, o := range l.sites {
		if o != s && o.blocks() && o.barrier().base == b.base && p.text(o.arg("phase")) != p.text(s.arg("phase")) {
			return true
		}
	}
	return false
}
