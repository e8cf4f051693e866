package rules

// reusedTooEarly (FP701) reports shared memory that is read and then written by other threads of the CTA with no barrier
// on the way, and storage of a collective that a second one uses (DV-05, write after read).
func reusedTooEarly(p *Pass) {
	p.conflicts(reads, writes, func(r route) {
		f := p.report(r.to.op.Span, "%q is overwritten while slower threads may still read it%s; no barrier in between", r.to.slot.name, r.when())
		p.label(f, r.from.op.Span, "read here")
		f.Help = "put a CTA barrier between the read and the write"
	})
	p.conflicts(writes, writes, func(r route) {
		f := p.report(r.to.op.Span, "%q is written by threads other than those that wrote it before%s; no barrier in between", r.to.slot.name, r.when())
		p.label(f, r.from.op.Span, "written here: which value stays is open")
		f.Help = "put a CTA barrier between the two"
	})
	p.collectives()
	p.overlaidStorage()
	p.calledAgain()
}
