package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// rewrittenUnderCopy (FP206) reports a buffer that more threads write than issue the bulk store that reads it, where the
// issuing thread waits for the store and the others do not meet it before they write again. A bulk async-group belongs to
// the thread that committed it (PTX ISA 9.7.9.25): for all others the wait is over at once.
func rewrittenUnderCopy(p *Pass) {
	for i, t := range p.sites {
		src := p.inBuffer(p.bulkSource(i))
		if src == nil {
			continue
		}
		for k := len(t.loops) - 1; k >= 0; k-- {
			if p.rewritten(t, src, t.loops[k]) {
				break
			}
		}
	}
}

// inBuffer picks the address in shared memory out of the arguments of a copy that is only known by its name.
func (p *Pass) inBuffer(x program.Expr) program.Expr {
	list, ok := x.(*program.Tuple)
	if !ok {
		return x
	}
	for _, a := range list.Elems {
		if p.buffer(a, nil) != "" {
			return a
		}
	}
	return nil
}

// rewritten looks at what the bulk store t leaves behind for the next round of a loop around it.
func (p *Pass) rewritten(t *site, src program.Expr, l *loop) bool {
	ring, known := p.ringOf(src, l, 0)
	from := p.buffer(src, l)
	if !known || from == "" || p.runsOnce(l) {
		return false
	}
	for _, w := range l.sites {
		if p.buffer(destination(w), l) != from || exclusive(w, t) || !fewerWarps(t, w) {
			continue
		}
		wait := p.loneWait(t, w, l, ring)
		if wait == nil {
			continue
		}
		f := p.report(wait.span, "only the thread that issued the bulk store of %q waits here; expected a barrier before other threads write it again", from)
		p.label(f, t.span, "a bulk async-group is the business of the thread that commits it")
		p.label(f, w.span, "written by more threads than that one, with no barrier since the wait")
		f.Help = "after the wait of the issuing thread, let the writers meet it at a barrier (__syncthreads, bar.sync)"
		return true
	}
	return false
}

// loneWait is the wait for groups of the thread that issues t, if each such wait of the loop leads to the write w with no
// barrier on the way and comes too late in a ring of that many buffers to be covered by the barriers of another round:
// with n of them, a wait that leaves n-1 groups in flight frees the very buffer that is written next.
func (p *Pass) loneWait(t, w *site, l *loop, ring program.Expr) *site {
	var lone *site
	for _, b := range l.sites {
		if b.op.Kind != dialect.BulkWait || exclusive(b, t) {
			continue
		}
		if !p.leavesAllButOne(b.arg("count"), ring) {
			return nil
		}
		if !follows(t, b, w) {
			return nil
		}
		for _, s := range l.sites {
			if s != b && s != w && follows(b, s, w) && !exclusive(s, w) && p.mayMeet(s, b, l) {
				return nil
			}
		}
		lone = b
	}
	return lone
}

// leavesAllButOne reports whether count is at least ring-1.
func (p *Pass) leavesAllButOne(count, ring program.Expr) bool {
	n, known := p.fn.fold(ring)
	k, counted := p.fn.fold(count)
	if known && counted {
		return k >= n-1
	}
	b, ok := p.fn.value(count).(*program.Binary)
	if !ok || b.Op != "-" {
		return false
	}
	one, ok := p.fn.fold(b.Y)
	return ok && one == 1 && same(p.fn.value(b.X), p.fn.value(ring))
}

// follows reports whether b comes between a and c on the way round a loop that all three stand in.
func follows(a, b, c *site) bool {
	if a.order < c.order {
		return a.order < b.order && b.order < c.order
	}
	return b.order > a.order || b.order < c.order
}

// mayMeet reports whether the threads of a CTA may wait for the thread of b at s.
func (p *Pass) mayMeet(s, b *site, l *loop) bool {
	switch s.op.Kind {
	case dialect.CtaSync, dialect.NamedBarrierSync, dialect.GridSync, dialect.ClusterSync, dialect.ClusterWait, dialect.MbarrierWait:
		return true
	case dialect.WarpSync:
		return false
	case unknownCall:
		if x := waitedMbarrier(s); x != nil {
			return !p.armedBefore(x, s, b, l)
		}
		return !computes(s) && !p.fills(s) && (s.mayJoin() || mayFence(s.op.Name))
	}
	return s.spin != nil
}

// computes reports whether a call that cannot be looked into is named after an index that it works out, after an arrival,
// or after a hint to the compiler: none of these waits.
func computes(s *site) bool {
	name := strings.ToLower(lastWord(s.op.Name))
	if s.used && (strings.HasSuffix(name, "idx") || strings.HasSuffix(name, "index") || strings.HasSuffix(name, "offset")) {
		return true
	}
	return strings.HasPrefix(name, "__builtin_") || strings.HasPrefix(name, "mbarrier_arrive") && !strings.Contains(name, "wait")
}

// fewerWarps reports whether site t is reached by part of the warps that reach site s.
func fewerWarps(t, s *site) bool {
	for _, g := range t.guards {
		if hasGuard(s.guards, g) {
			continue
		}
		if proper(g.threads().warps) || byThreadIndex(g) {
			return true
		}
	}
	return false
}

// byThreadIndex reports whether a condition bounds the index of the thread: tid < n for an n that is not known.
func byThreadIndex(g *guard) bool {
	b, ok := g.cond().(*program.Binary)
	return ok && b.Op == "<" && !g.negated && g.fn.vary(b.X, 0) == threadIndex && g.fn.vary(b.Y, 0) == uniform
}
