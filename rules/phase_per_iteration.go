package rules

import (
	"strconv"

	"github.com/fencepost-dev/fencepost/program"
)

// phasePerIteration (FP103) reports a ring of N barriers whose phase flips every iteration, or after another number
// of iterations than the ring has stages (PH-03).
func phasePerIteration(p *Pass) {
	for _, s := range p.sites {
		l := s.loop()
		if !s.blocks() || l == nil || l.owner != p.fn || s.owner != p.fn {
			continue
		}
		b := s.barrier()
		if b.base == "" || b.index == nil || hits(l.assigned(), b.base) {
			continue
		}
		if p.closedForm(s, b) {
			continue
		}
		p.flippedForm(s, b, l)
	}
}

// closedForm handles `full[i % N]` with `(i / M) & 1`, M other than N.
func (p *Pass) closedForm(s *site, b barrier) bool {
	counter, stages, ok := p.fn.modulo(b.index)
	if !ok || stages == 1 {
		return false
	}
	phase, period, ok := p.fn.parity(s.arg("phase"))
	if !ok || !same(p.fn.value(counter), p.fn.value(phase)) || period == stages {
		return false
	}
	if period != 1 && (period == 0 || stages == 0) {
		return false // two names that may be equal
	}
	if stages == 0 {
		f := p.report(s.span, "wait on %q uses phase %q, which flips every iteration; expected a flip per trip round the ring", p.name(s), p.text(s.arg("phase")))
		f.Help = "divide the counter by the number of stages first: (i / stages) & 1"
		return true
	}
	f := p.report(s.span, "wait on %q flips its phase every %d iterations, but the ring has %d stages; expected every %d", p.name(s), period, stages, stages)
	f.Help = "divide the counter by the number of stages first: (i / stages) & 1"
	return true
}

// flippedForm handles `ph ^= 1` in every iteration with a stage that takes N iterations to come round.
func (p *Pass) flippedForm(s *site, b barrier, l *loop) {
	name := p.phaseVariable(s)
	if name == "" || p.flips(l, name) != 1 {
		return
	}
	stages := p.ring(b.index, l)
	if n, known := p.fn.fold(stages); stages == nil || known && n < 2 {
		return
	}
	f := p.report(s.span, "phase %q flips in every iteration, but the ring of %q has %s stages; expected a flip per wrap", name, b.base, p.number(stages))
	p.label(f, l.header, "each iteration moves on by one stage")
	f.Help = "flip the phase only when the stage index returns to 0"
}

// flips counts the unconditional flips of a phase in one iteration; anything else that sets it gives -1.
func (p *Pass) flips(l *loop, name string) int {
	body := loopBody(l)
	direct := map[program.Node]bool{}
	for _, st := range body {
		direct[st] = true
	}
	n := 0
	for _, d := range p.fn.defs[name] {
		if !within(d.node, l.stmt) {
			continue
		}
		if !direct[d.node] || !flip(d, name) {
			return -1
		}
		n++
	}
	return n
}

// flip recognises ph ^= 1, ph = ph ^ 1, ph = 1 - ph, ph = !ph.
func flip(d definition, name string) bool {
	one := func(x program.Expr) bool { i, ok := x.(*program.Int); return ok && i.Value == 1 }
	self := func(x program.Expr) bool { return path(x) == name }
	if d.op == "^=" {
		return one(d.value)
	}
	switch v := d.value.(type) {
	case *program.Binary:
		return v.Op == "^" && (self(v.X) && one(v.Y) || one(v.X) && self(v.Y)) || v.Op == "-" && one(v.X) && self(v.Y)
	case *program.Unary:
		return v.Op == "!" && self(v.X)
	}
	return false
}

// number is an expression's value, or its text.
func (p *Pass) number(x program.Expr) string {
	if n, ok := p.fn.fold(x); ok {
		return strconv.FormatInt(n, 10)
	}
	return p.text(x)
}

// ring is the number of stages an index goes through, one an iteration: i % N; s = (s + 1) % N; or s += 1 with a reset
// when s == N. It is nil for anything else.
func (p *Pass) ring(index program.Expr, l *loop) program.Expr {
	if b, ok := p.fn.value(index).(*program.Binary); ok && b.Op == "%" && l.varies(b.X) {
		return b.Y
	}
	name := path(index)
	if name == "" {
		return nil
	}
	steps := false
	for _, st := range loopBody(l) {
		if a, ok := st.(*program.Assign); ok && len(a.Targets) == 1 && path(a.Targets[0]) == name {
			if b, isMod := a.Value.(*program.Binary); isMod && b.Op == "%" && path(b.X) == "" {
				return b.Y
			}
		}
		steps = steps || increments(st, name)
		if i, ok := st.(*program.If); ok {
			cond, isCompare := i.Cond.(*program.Binary)
			if !isCompare || (cond.Op != "==" && cond.Op != ">=") || !p.resetsTo(i.Then, name) {
				continue
			}
			inc, inPlace := cond.X.(*program.IncDec)
			if steps && path(cond.X) == name || inPlace && inc.Op == "++" && !inc.Post && path(inc.X) == name {
				return cond.Y
			}
		}
	}
	return nil
}

// increments recognises s += 1 and ++s.
func increments(st program.Stmt, name string) bool {
	switch s := st.(type) {
	case *program.Assign:
		one, ok := s.Value.(*program.Int)
		return s.Op == "+=" && ok && one.Value == 1 && path(s.Targets[0]) == name
	case *program.ExprStmt:
		inc, ok := s.X.(*program.IncDec)
		return ok && inc.Op == "++" && path(inc.X) == name
	}
	return false
}

// resetsTo reports whether a body sets the name to zero.
func (p *Pass) resetsTo(body []program.Stmt, name string) bool {
	for _, st := range body {
		if a, ok := st.(*program.Assign); ok && a.Op == "=" && len(a.Targets) == 1 && path(a.Targets[0]) == name {
			n, known := p.fn.fold(a.Value)
			return known && n == 0
		}
	}
	return false
}

// loopBody is the statements of one iteration, a for loop's step included.
func loopBody(l *loop) []program.Stmt {
	switch s := l.stmt.(type) {
	case *program.For:
		return append(s.Body[:len(s.Body):len(s.Body)], s.Post...)
	case *program.While:
		return s.Body
	}
	return nil
}
