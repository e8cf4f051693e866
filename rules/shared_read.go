package rules

// readTooEarly (FP702) reports shared memory that is written and then read by other threads of the CTA with no barrier on
// the way (DV-05, read after write).
func readTooEarly(p *Pass) {
	p.conflicts(writes, reads, func(r route) {
		f := p.report(r.to.op.Span, "%q is read by threads other than those that wrote it%s; no barrier in between", r.to.slot.name, r.when())
		p.label(f, r.from.op.Span, "written here")
		f.Help = "put a CTA barrier between the write and the read"
	})
}
