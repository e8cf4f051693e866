package lower

import (
	"slices"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// shifts works out how expressions move with the unknown and with the rounds that are put in.
type shifts struct {
	w       *watch
	periods map[string]int             // of the unknowns that move
	leaves  map[string]iteration.Delta // those of which it is known
}

// of is how an expression moves; false where that is not by the same amount each time, or not known.
func (a *shifts) of(e *value.Expr) (iteration.Delta, bool) {
	if e.IsConst {
		return iteration.Delta{}, true
	}
	if i := slices.Index(a.w.unknowns, e.String()); i >= 0 {
		return iteration.Delta{}.Plus(iteration.Delta{iteration.PeriodsMore(i): int64(a.periods[a.w.unknowns[i]])}, 1), true
	}
	m := a.w.m
	if e.Op == "" {
		return a.ofAtom(e)
	}
	if _, own := m.in.values[e.String()]; own {
		return iteration.Delta{}, !value.HasLeaf(e)
	}
	switch e.Op {
	case "?":
		if test, ok := a.truth(e.C); ok {
			if test {
				return a.of(e.X)
			}
			return a.of(e.Y)
		}
		return iteration.Delta{}, false
	case "!":
		_, ok := a.truth(e.X)
		return iteration.Delta{}, ok
	case "&&", "||":
		x, ok := a.truth(e.X)
		if ok && x == (e.Op == "&&") {
			_, ok = a.truth(e.Y)
		}
		return iteration.Delta{}, ok
	}
	if steps := a.w.quotient(e); steps != nil {
		return a.of(steps)
	}
	x, ok := a.of(e.X)
	if t, is := value.Conversions[e.Op]; is && e.Y == nil {
		return x, ok && (len(x) == 0 || a.fits(e.X, x, t))
	}
	if e.Y == nil {
		return iteration.Delta{}.Plus(x, -1), ok && (e.Op == "-" || e.Op == "~")
	}
	if value.IsComparison(e.Op) {
		return iteration.Delta{}, a.compares(e)
	}
	y, oky := a.of(e.Y)
	if !ok || !oky {
		return iteration.Delta{}, false
	}
	if len(x) == 0 && len(y) == 0 {
		return iteration.Delta{}, true
	}
	return a.combined(e, x, y)
}

func (a *shifts) ofAtom(e *value.Expr) (iteration.Delta, bool) {
	if strings.Contains(e.Atom, value.LeafMark) {
		v, ok := a.leaves[e.Atom]
		return v, ok
	}
	m := a.w.m
	if _, known := m.in.values[e.Atom]; known {
		return iteration.Delta{}, true
	}
	if of, ok := m.in.same[e.Atom]; ok {
		return a.of(&value.Expr{Atom: of})
	}
	if meant := m.in.low.meanings[e.Atom]; meant != nil {
		return a.of(meant)
	}
	return iteration.Delta{}, false
}

// combined is how an operation on two numbers moves. What arith does decides which of these hold: // and >> round down, %
// has the sign of the divisor, and numbers are in two's complement.
func (a *shifts) combined(e *value.Expr, x, y iteration.Delta) (iteration.Delta, bool) {
	switch e.Op {
	case "+":
		return x.Plus(y, 1), true
	case "-":
		return x.Plus(y, -1), true
	case "min", "max":
		d := x.Plus(y, -1)
		v, ok := a.less(e.X, e.Y)
		least := e.Op == "min"
		switch {
		case !ok:
		case v <= 0 && d.Down():
			return either(least, x, y), true
		case v >= 0 && d.Up():
			return either(least, y, x), true
		}
		return iteration.Delta{}, false
	case "*":
		v, okx := a.value(e.X)
		k, oky := a.value(e.Y)
		out, ok := x.Multiplied(v, y, k)
		return out, ok && okx && oky && max(v, k, -v, -k) < 1<<31
	}
	k, ok := a.value(e.Y)
	if !ok || len(y) > 0 {
		return iteration.Delta{}, false
	}
	whole := int64(1) // the power of two above k
	for whole <= k && whole < 1<<40 {
		whole *= 2
	}
	switch e.Op {
	case "<<":
		return iteration.Delta{}.Plus(x, 1<<uint(max(0, min(k, 31)))), k >= 0 && k <= 31
	case "%":
		return iteration.Delta{}, k > 0 && x.Multiple(k)
	case value.Remainder:
		v, ok := a.value(e.X)
		return iteration.Delta{}, ok && v >= 0 && x.Up() && k > 0 && x.Multiple(k)
	case "//":
		return x.Over(max(1, k)), k > 0 && x.Multiple(k)
	case "/":
		v, ok := a.value(e.X)
		return x.Over(max(1, k)), ok && v >= 0 && x.Up() && k > 0 && x.Multiple(k)
	case ">>":
		by := int64(1) << uint(max(0, min(k, 31)))
		return x.Over(by), k >= 0 && k <= 31 && x.Multiple(by)
	case "&":
		return iteration.Delta{}, k >= 0 && x.Multiple(whole)
	case "|", "^":
		return x, k >= 0 && x.Multiple(whole)
	}
	return iteration.Delta{}, false
}

// fits reports whether a conversion changes nothing in all the executions. That what grows from 0 is less than 2^31 is taken
// for granted, as that no kernel goes round that often (Kernel.Assume says so); narrower types do wrap.
func (a *shifts) fits(e *value.Expr, by iteration.Delta, t ints.Type) bool {
	v, ok := a.value(e)
	return ok && t.Bits >= 32 && v >= 0 && v <= t.Most() && by.Up()
}

func either(first bool, x, y iteration.Delta) iteration.Delta {
	if first {
		return x
	}
	return y
}

// truth is whether an expression is not zero, if that is so in all the executions.
func (a *shifts) truth(e *value.Expr) (yes, ok bool) {
	by, ok := a.of(e)
	v, known := a.value(e)
	switch {
	case !ok || !known:
		return false, false
	case v == 0:
		return false, len(by) == 0
	}
	return true, v > 0 && by.Up() || v < 0 && by.Down()
}

// compares reports whether a comparison comes out the same in all the executions.
func (a *shifts) compares(e *value.Expr) bool {
	x, y := e.X, e.Y
	if w, ok := a.walks(e); ok {
		x = value.Const(w.step)
		if value.HasLeaf(e) {
			if x, ok = a.walked(e); !ok {
				return false
			}
			n, known := a.value(x)
			if by, ok := a.of(x); !ok || !known || n != w.step || !by.Up() { // one back from the start is no step of the walk
				return false
			}
		}
		e, y = &value.Expr{Op: "<"}, w.steps
	}
	p, okp := a.of(x)
	q, okq := a.of(y)
	v, known := a.less(x, y)
	if !okp || !okq || !known {
		return false
	}
	d := p.Plus(q, -1)
	switch e.Op {
	case "<", ">=":
		return v < 0 && d.Down() || v >= 0 && d.Up()
	case "<=", ">":
		return v <= 0 && d.Down() || v > 0 && d.Up()
	case "==", "!=", "is", "is not":
		return v < 0 && d.Down() || v > 0 && d.Up() || v == 0 && len(d) == 0
	}
	return false
}

// less is by how much an expression is more than another.
func (a *shifts) less(x, y *value.Expr) (int64, bool) {
	v, okx := a.value(x)
	n, oky := a.value(y)
	return v - n, okx && oky
}

// answers are what expressions are worth, and what walks over the grid they are of, once evaluation is over.
type answers struct {
	worth map[*value.Expr]*int64
	walks map[*value.Expr]*walked
}

func (a *shifts) value(e *value.Expr) (int64, bool) {
	v, asked := a.w.worth[e]
	if !asked {
		if n, ok := a.w.value(e); ok {
			v = &n
		}
		a.w.worth[e] = v
	}
	if v == nil {
		return 0, false
	}
	return *v, true
}

func (a *shifts) walks(e *value.Expr) (walked, bool) {
	v, asked := a.w.answers.walks[e]
	if !asked {
		old := a.w.quiet
		a.w.quiet = true
		if w, ok := a.w.m.strided(e); ok {
			v = &w
		}
		a.w.quiet = old
		a.w.answers.walks[e] = v
	}
	if v == nil {
		return walked{}, false
	}
	return *v, true
}

// quotient is roundedUp of a division by what is no number.
func (w *watch) quotient(e *value.Expr) *value.Expr {
	if e.Op != "//" || e.Y.IsConst {
		return nil
	}
	old := w.quiet
	w.quiet = true
	defer func() { w.quiet = old }()
	return w.m.roundedUp(e)
}
