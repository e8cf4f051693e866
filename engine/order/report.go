package order

import (
	"fmt"
	"math/bits"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
)

// point is the command of a strand at a position.
func (r *run) point(s *strand, pos int32) Point {
	p := Point{Warp: s.warp, Index: int(pos) - 1, Lane: bits.TrailingZeros32(s.lanes)}
	if w := r.p.Warps[s.warp]; p.Index < len(w.Commands) {
		p.Place = w.Commands[p.Index].Place
		if m := w.Commands[p.Index].Mask & s.lanes; m != 0 {
			p.Lane = bits.TrailingZeros32(m)
		}
	}
	return p
}

// report takes down a finding; the caller says how it is run again.
func (r *run) report(check Check, object uint32, text string, points ...Point) *Finding {
	r.found[check]++
	switch check {
	case Recycling, Attribution, Phase, Bytes:
		r.failed = true
	}
	limit := r.o.Findings
	if limit == 0 {
		limit = 16
	}
	if r.found[check] <= limit {
		r.findings = append(r.findings, Finding{Check: check, Object: object, Text: text, Points: points, Barrier: -1})
		return &r.findings[len(r.findings)-1]
	}
	return &Finding{}
}

// fall gives the answer up.
func (r *run) fall(code limit.Code, format string, args ...any) {
	if r.short.Code == 0 {
		r.short = code.Sayf(format, args...)
	}
}

// who names the threads of a strand.
func (r *run) who(s *strand) string {
	first := r.p.Warps[s.warp].First
	lo, hi := first+bits.TrailingZeros32(s.lanes), first+31-bits.LeadingZeros32(s.lanes)
	text := fmt.Sprintf("thread %d", lo)
	switch {
	case hi-lo+1 == bits.OnesCount32(s.lanes) && hi > lo:
		text = fmt.Sprintf("threads %d-%d", lo, hi)
	case hi > lo:
		text = fmt.Sprintf("%d threads from %d on", bits.OnesCount32(s.lanes), lo)
	}
	if r.p.CTAs > 1 {
		text += fmt.Sprintf(" of CTA %d", s.cta)
	}
	return text
}

// does is what a strand does, in the present tense of one thread or of several: "thread 3 waits", "threads 0-31 wait".
func (r *run) does(s *strand, verb string) string {
	if bits.OnesCount32(s.lanes) == 1 {
		verb += "s"
	}
	return r.who(s) + " " + verb
}

// barrier names an mbarrier.
func (r *run) barrier(b *object) string {
	text := fmt.Sprintf("the mbarrier at %#x", b.address&(1<<offsetBits-1))
	if r.p.CTAs > 1 {
		text += fmt.Sprintf(" of CTA %d", b.address>>offsetBits)
	}
	return text
}

// finish does what can be said only at the end: who waits for ever, what is left, which races there are.
func (r *run) finish(out *Result) {
	if !r.stopped && r.short.Code == 0 {
		r.deadlock()
		for _, b := range r.order {
			if r.found[Deadlock] == 0 {
				r.leftover(b)
			}
		}
	}
	if r.short.Code == 0 && !r.stopped && r.found[Deadlock] == 0 && !r.failed {
		r.outlives()
		r.races(out)
	}
	for _, w := range r.p.Warps {
		for c := range w.Commands {
			out.Commands += int64(bits.OnesCount32(w.Commands[c].Mask))
		}
	}
	out.Threads, out.Barriers, out.Memory = r.threads, r.barriers, r.memory
	if r.o.Counts {
		out.Addresses, out.Tests = r.cells.tests()
	}
	if r.graph != nil {
		out.Graph = r.graph.out()
	}
}

// answer sums up. What is found stands, as it is an execution; that nothing else is wrong is said only of a run that ended and
// whose order is that of all executions.
func (r *run) answer(out *Result) {
	r.confirm()
	out.Findings = r.findings
	violated := false
	for c := range Checks {
		a := &out.Answers[c]
		a.Object = -1
		out.Unshown += r.unsure[c]
		switch {
		case r.sure[c] > 0:
			a.Verdict, violated = engine.Violated, true
		case r.found[c] > 0 && c == Race && r.timed:
			r.fall(limit.Unshown, "%s: lanes of a warp read what others of it write behind an exchange of values, which orders no memory (PTX ISA 9.7.9.6)", c)
		case r.found[c] > 0:
			r.fall(limit.Unshown, "%s: something was found that running it again did not show", c)
		}
	}
	reason := r.short
	switch {
	case reason.Code != 0:
	case r.stopped || r.found[Deadlock] > 0 || r.failed:
		reason = limit.Unshown.Says("the program is not well synchronized, so what was seen of one execution does not hold for all")
	}
	for c := range Checks {
		a := &out.Answers[c]
		switch {
		case a.Verdict == engine.Violated:
		case reason.Code != 0:
			a.Reason, a.Code = reason.Text, reason.Code
		default:
			a.Verdict = engine.Holds
		}
	}
	switch {
	case violated:
		out.Verdict = engine.Violated
	case reason.Code != 0:
		out.Reason = reason
	default:
		out.Verdict = engine.Holds
	}
}
