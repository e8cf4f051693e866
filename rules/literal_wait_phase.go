package rules

// literalWaitPhase (FP101) reports a wait whose phase is a constant although its loop meets the barrier in one phase
// after another (PH-01 of notes/cuda.md).
func literalWaitPhase(p *Pass) {
	for _, s := range p.sites {
		phase, constant := p.fn.fold(s.arg("phase"))
		if !constant || s.owner != p.fn {
			continue
		}
		l, b := p.repeatedWait(s)
		if l == nil || p.waitsForOther(l, s, b, phase) {
			continue
		}
		f := p.report(s.span, "wait on %q uses phase %d in every iteration; expected the phase to flip each time the barrier completes", p.name(s), phase)
		p.label(f, l.header, "the loop comes back to this barrier")
		f.Help = "keep a phase variable that starts at the first expected parity and flip it (phase ^= 1) when the stage index wraps"
	}
}

// waitsForOther reports whether the loop also waits for the other parity of the barrier, as a loop unrolled by two does.
func (p *Pass) waitsForOther(l *loop, s *site, b barrier, phase int64) bool {
	for _, o := range l.sites {
		if o == s || !o.blocks() || o.barrier().base != b.base {
			continue
		}
		if other, ok := o.owner.fold(o.arg("phase")); !ok || other&1 != phase&1 {
			return true
		}
	}
	return false
}
