package rules

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// vacuousWait (FP309) reports a wait until a word has the value that the waiting thread itself has read from this very word:
// it ends at once, whatever the others have done. Waits for a change compare for equality and are another matter.
func vacuousWait(p *Pass) {
	for _, s := range p.sites {
		if s.spin == nil || s.spin.owner != p.fn || !looks(s) {
			continue
		}
		v := s.waitedValue(s.spin.cond)
		if v == nil || hits(s.spin.assigned(), v.Ident) {
			continue
		}
		taken := p.fn.definition(v)
		e, ok := p.globalElement(s.arg("ptr"))
		if taken == nil || !ok || !p.readsElement(taken, e) || p.touchedBetween(taken, s, e) {
			continue
		}
		f := p.report(s.span, "this waits until %q has the value %q, which was read from there: it ends at once", e.name, v.Ident)
		p.label(f, taken.Where(), "the same word, with nothing written to it since")
		f.Help = "poll the word that the other side writes"
	}
}

// looks reports whether a site reads a word of global memory and leaves it as it is.
func looks(s *site) bool {
	switch s.op.Kind {
	case plainLoad, dialect.Load:
		return true
	case dialect.AtomicAdd:
		n, known := s.owner.fold(s.arg("value"))
		return known && n == 0
	}
	return false
}

// waitedValue is the name that a loop's condition compares the word read at s with, where the loop goes on while the two
// differ; nil where it does something else.
func (s *site) waitedValue(x program.Expr) *program.Name {
	b, ok := x.(*program.Binary)
	if !ok {
		return nil
	}
	switch b.Op {
	case "&&": // until then, or until too much time has passed
		if v := s.waitedValue(b.X); v != nil {
			return v
		}
		return s.waitedValue(b.Y)
	case "!=":
		for _, sides := range [2][2]program.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if v, ok := sides[1].(*program.Name); ok && s.spin.holds(sides[0].Where(), s) {
				return v
			}
		}
	}
	return nil
}

// readsElement reports whether an expression is the value of an element of global memory and nothing else.
func (p *Pass) readsElement(x program.Expr, e element) bool {
	ptr := x
	switch n := x.(type) {
	case *program.Cast:
		return p.readsElement(n.X, e)
	case *program.Index:
	case *program.Unary:
		if n.Op != "*" {
			return false
		}
		ptr = n.X
	case *program.Call:
		op, ok := p.fn.call(n)
		if !ok {
			op, ok = mnemonic(n)
		}
		if !ok || op.Kind != dialect.Load {
			return false
		}
		ptr = op.Expr("ptr")
	default:
		return false
	}
	got, ok := p.globalElement(ptr)
	if !ok || got.name != e.name {
		return false
	}
	meet, _ := p.sameElement(got, e)
	return meet
}

// touchedBetween reports whether anything between two reads of an element may write it: then the thread may wait for what
// it has changed to come back.
func (p *Pass) touchedBetween(taken program.Expr, s *site, e element) bool {
	for _, o := range p.sites {
		if o.span.Start <= taken.Where().End || o.span.Start >= s.spin.stmt.Where().Start {
			continue
		}
		if got, ok := p.flagOf(o); ok && writesFlag[o.op.Kind] && got.name == e.name {
			return true
		}
		if o.op.Kind != unknownCall || o.op.Call == nil {
			continue
		}
		for _, a := range o.op.Call.Args {
			if got, ok := p.globalElement(a); ok && got.name == e.name {
				return true
			}
		}
	}
	return false
}
