package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// arriveAgain (FP410) reports a named barrier at which threads may arrive a second time with nothing in between that
// makes them wait for anybody: the next iteration of a loop, or the next statement. As arriving makes nobody wait (PTX ISA
// 9.7.13.1), the second arrival may fall into the generation of the first.
func arriveAgain(p *Pass) {
	for i, s := range p.sites {
		if s.op.Kind != dialect.NamedBarrierArrive || s.arg("id") == nil {
			continue
		}
		if lanes := s.threads().lanes; lanes == oneOf || lanes == someOf {
			continue // another mistake
		}
		if l := p.arrivesEachRound(s); l != nil {
			f := p.report(s.op.Span, "the next iteration arrives at this named barrier again; expected a wait in between")
			p.label(f, l.header, "no wait for other threads on the way round this loop")
			f.Help = helpAgain
			continue
		}
		if next := p.arrivesNext(s, p.sites[i+1:]); next != nil {
			f := p.report(next.op.Span, "arrives at this named barrier a second time; expected a wait in between")
			p.label(f, s.op.Span, "arrived here before")
			f.Help = helpAgain
		}
	}
}

const helpAgain = "wait at this barrier instead of arriving (sync, arrive_and_wait), or for what the threads do that wait here"

// arrivesEachRound is a loop in which a thread comes to the site in one iteration after another, and meets nothing that
// may block on the way from one to the next; nil if there is none.
func (p *Pass) arrivesEachRound(s *site) *loop {
	for i := len(s.loops) - 1; i >= 0; i-- {
		l := s.loops[i]
		if l.varies(s.arg("id")) || p.runsOnce(l) {
			continue // another barrier each time, or no second time
		}
		if l.opaque() || l.oneRound(s) {
			return nil
		}
		for _, x := range l.sites {
			if x != s && !exclusive(x, s) && x.mayBlock() {
				return nil
			}
		}
		return l
	}
	return nil
}

// arrivesNext is the next arrival at the same barrier by the same threads, with nothing that may block before it.
func (p *Pass) arrivesNext(s *site, rest []*site) *site {
	for _, x := range rest {
		switch {
		case exclusive(x, s):
		case x.op.Kind == dialect.NamedBarrierArrive && same(x.arg("id"), s.arg("id")):
			if len(x.loops) < len(s.loops) || len(s.loops) > 0 && x.loops[len(s.loops)-1] != s.loop() || !sameGuards(s, x) {
				return nil
			}
			return x
		case x.mayBlock():
			return nil
		}
	}
	return nil
}

// sameGuards reports whether whoever executes one of the two sites executes the other.
func sameGuards(a, b *site) bool {
	if len(a.guards) != len(b.guards) {
		return false
	}
	for _, g := range a.guards {
		if !hasGuard(b.guards, g) {
			return false
		}
	}
	return true
}

// mayBlock reports whether a thread may wait at the site for what others do. Of a function that is not known its name
// decides, and whether its result is used: what returns a value and sounds of nothing is taken to compute it.
func (s *site) mayBlock() bool {
	switch s.op.Kind {
	case dialect.MbarrierWait, dialect.MbarrierTryWait, dialect.MbarrierTestWait, dialect.NamedBarrierSync, dialect.CtaSync,
		dialect.ClusterWait, dialect.ClusterSync, dialect.GridSync, dialect.GridDepWait, dialect.TmemAlloc, dialect.SetMaxRegister:
		return true
	case unknownCall:
		return !s.used || lastWord(s.op.Name) != "NamedBarrier" && (mayFence(s.op.Name) || mayWait(s.op.Name))
	}
	return s.spin != nil
}

// mayWait reports whether a function's name says that it takes what others hand out.
func mayWait(name string) bool {
	for _, w := range [...]string{"work", "next", "fetch", "advance", "acquire", "poll", "recv", "consume", "produce", "pop", "lock"} {
		whole := len(w) < 5
		for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '.' || r == ':' }) {
			if part == w || !whole && strings.Contains(part, w) {
				return true
			}
		}
	}
	return name == ""
}

// opaque reports whether the loop holds a statement that was not read.
func (l *loop) opaque() (found bool) {
	program.Walk(l.stmt, func(n program.Node) bool {
		switch n := n.(type) {
		case *program.OpaqueStmt:
			found = true
		case *program.Asm:
			for _, i := range n.Instrs {
				found = found || i.Op == "bra" // may wait, in a loop of its own
			}
		}
		return !found
	})
	return found
}

// oneRound reports whether a condition on the way to the site may hold in one iteration only: it asks for the loop's
// counter, or for a flag that the loop changes.
func (l *loop) oneRound(s *site) bool {
	for _, g := range s.guards {
		if g.cond() == nil || g.built || !within(g.node, l.stmt) && !inlinedIn(s, l) {
			continue
		}
		if l.counts(g.fn, g.cond(), 0) {
			return true
		}
	}
	return false
}

// inlinedIn reports whether the site came into the loop with a helper.
func inlinedIn(s *site, l *loop) bool {
	for _, c := range s.calls {
		if covers(l.stmt.Where(), c) {
			return true
		}
	}
	return false
}

// counts reports whether an expression follows from what the loop counts, or from a flag that it sets. What calls make
// of it, and what lies in memory, is data.
func (l *loop) counts(f *function, x program.Expr, depth int) (found bool) {
	if depth > 8 {
		return true
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Call:
			return transparent[lastWord(path(e.Fun))]
		case *program.Index:
			return false
		case *program.Name:
			for _, d := range f.visible(e.Ident, e.Span.Start) {
				found = found || l.carries(f, e.Ident, d) || d.value != nil && d.op == "=" && l.counts(f, d.value, depth+1)
			}
		}
		return !found
	})
	return found
}

// carries reports whether a definition is a step of the loop that the next iteration builds on: a counter or a flag.
func (l *loop) carries(f *function, name string, d definition) bool {
	if !within(d.node, l.stmt) || f.inits[d.node] {
		return false
	}
	for _, c := range f.decls[name] {
		if within(c.node, l.stmt) && !f.inits[c.node] {
			return false // made anew each time
		}
	}
	_, constant := f.fold(d.value)
	return d.op != "=" || constant
}

// transparent are calls that only compute with what they are given.
var transparent = map[string]bool{"min": true, "max": true, "ceil_div": true, "cdiv": true, "int": true, "bool": true}
