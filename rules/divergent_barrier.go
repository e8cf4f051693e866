package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
)

// divergentBarrier (FP403) reports a CTA-wide or aligned barrier under a condition that splits a warp (DV-01, only
// where the condition itself shows it: a lane index, elect_one, or a thread index against a constant).
func divergentBarrier(p *Pass) {
	for _, s := range p.sites {
		aligned := wholeCTA(s) || (s.op.Kind == dialect.NamedBarrierSync && s.op.Text("aligned", "") == "true")
		if !aligned {
			continue
		}
		g := splittingGuard(s)
		if g == nil || p.balanced(s, g) {
			continue
		}
		f := p.report(s.span, "%s is reached by part of a warp only; expected all its threads to reach it", barrierWord(p, s))
		p.label(f, g.node.Where(), "this condition splits the warp")
		f.Help = "move the barrier out of the condition"
	}
	halfBarrier(p)
	boundedBarrier(p)
}

// wholeCTA reports whether all threads of a CTA have to come to a barrier together: its own, and that of the grid.
func wholeCTA(s *site) bool { return s.op.Kind == dialect.CtaSync || s.op.Kind == dialect.GridSync }

func barrierWord(p *Pass, s *site) string {
	switch {
	case s.op.Kind == dialect.GridSync:
		return "the barrier of the grid"
	case s.op.Kind == dialect.NamedBarrierSync:
		return "aligned named barrier"
	case p.File.Language == program.CuTe:
		return "CTA barrier"
	}
	return "__syncthreads"
}

// splittingGuard returns the guard that lets only part of a warp through, or nil.
func splittingGuard(s *site) *guard {
	for _, g := range s.guards {
		if g.exit {
			continue // exited threads are not waited for
		}
		if t := g.threads(); t.lanes == oneOf || t.lanes == someOf {
			return g
		}
	}
	return nil
}

// balanced reports whether the other side of the condition has a barrier as well, as code split by role does.
func (p *Pass) balanced(s *site, g *guard) bool {
	for _, o := range p.sites {
		if o == s || !wholeCTA(o) && o.op.Kind != dialect.NamedBarrierSync {
			continue
		}
		for _, h := range o.guards {
			if h.node == g.node && h.negated != g.negated {
				return true
			}
		}
	}
	return false
}

// halfBarrier reports a CTA barrier under a condition that some threads of the CTA surely fail while none of the code
// they run instead has a barrier. Whether they meet a later barrier is not looked at: then the two sides are paired at
// different places, which the manual allows only per warp and the CUDA guide not at all. A warning.
func halfBarrier(p *Pass) {
	for _, s := range p.sites {
		if !wholeCTA(s) {
			continue
		}
		for _, g := range s.guards {
			if g.exit || g.built || g.elect || !g.fn.divides(g.cond(), g.negated, 0) || p.balanced(s, g) {
				continue
			}
			f := p.report(s.span, "%s is reached by some threads of the CTA only, and the others meet no barrier in their branch", barrierWord(p, s))
			f.Severity = finding.Warning
			p.label(f, g.cond().Where(), "this condition divides the threads of the CTA")
			f.Help = "move the barrier out of the condition, or use a named barrier that counts the threads of this branch"
			break
		}
	}
}

// divides reports whether a condition surely differs between threads of one CTA: a role test, that is an index of the
// thread or warp compared for equality, or with a constant.
func (f *function) divides(x program.Expr, negated bool, depth int) bool {
	if depth > 8 {
		return false
	}
	switch e := x.(type) {
	case *program.Unary:
		return e.Op == "!" && f.divides(e.X, !negated, depth+1)
	case *program.Cast:
		return f.divides(e.X, negated, depth+1)
	case *program.Name:
		v := f.definition(e)
		return v != nil && f.divides(v, negated, depth+1)
	case *program.Binary:
		switch {
		case e.Op == "&&" || e.Op == "||":
			return f.divides(e.X, negated, depth+1) || f.divides(e.Y, negated, depth+1)
		case !comparison[e.Op]:
			return false
		}
		x, y := e.X, e.Y
		if f.perThread(y, 0) {
			x, y = y, x
		}
		if !f.perThread(x, 0) || f.vary(y, 0) != uniform {
			return false
		}
		_, constant := f.fold(y)
		return e.Op == "==" || e.Op == "!=" || constant
	}
	return false
}

// perThread reports whether an expression is arithmetic on the index of the thread, its lane or its warp, and nothing
// else that could differ.
func (f *function) perThread(x program.Expr, depth int) bool {
	if depth > maxFold || f.spent() {
		return false
	}
	if v := f.vary(x, 0); v == perWarp || v == laneIndex || v == threadIndex || v == perLane {
		return true
	}
	switch e := x.(type) {
	case *program.Attr:
		op, ok := f.file.table.Attr(e)
		return ok && op.Kind == dialect.ThreadIdx
	case *program.Cast:
		return f.perThread(e.X, depth+1)
	case *program.Binary:
		a, b := f.perThread(e.X, depth+1), f.perThread(e.Y, depth+1)
		if a && (e.Op == "%" || e.Op == "/") && isPlain(e.Y) {
			return true // the divisor may be any compile-time or launch value
		}
		return a && (b || f.vary(e.Y, 0) == uniform) || b && f.vary(e.X, 0) == uniform
	case *program.Name:
		v := f.definition(e)
		return v != nil && f.perThread(v, depth+1)
	}
	return false
}

// isPlain reports whether an expression is a name or a number.
func isPlain(x program.Expr) bool {
	switch x.(type) {
	case *program.Name, *program.Int:
		return true
	}
	return false
}
