package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// A place in the grid that a persistent kernel goes on to is a sum in which a stride that nobody knows counts the rounds:
// block_idx.x + 3 * grid_dim.x. There the factor is what grows from round to round.

// sum is an expression as a sum of terms with factors that may have leaves in them, and of a number.
type sum struct {
	factors map[string]value.Value
	terms   map[string]*value.Expr
	plus    value.Value
}

// sumOf takes an expression apart; it fails on what is too large to look at.
func (w *watch) sumOf(e *value.Expr) (sum, bool) {
	d := sum{map[string]value.Value{}, map[string]*value.Expr{}, value.Int(0)}
	return d, w.addTo(&d, e, value.Int(1), 0)
}

func (w *watch) addTo(d *sum, e *value.Expr, k value.Value, depth int) bool {
	if depth > value.MaxOperators || len(d.factors) > 32 {
		return false
	}
	counts := func(x *value.Expr) bool { return x.IsConst || value.HasLeaf(x) && len(w.strangers(x)) == 0 }
	switch {
	case counts(e):
		d.plus = value.Binary("+", d.plus, value.Binary("*", k, valueOf(e)))
		return true
	case e.Op == "+" && e.Y != nil:
		return w.addTo(d, e.X, k, depth+1) && w.addTo(d, e.Y, k, depth+1)
	case e.Op == "-" && e.Y != nil:
		return w.addTo(d, e.X, k, depth+1) && w.addTo(d, e.Y, value.Binary("*", value.Int(-1), k), depth+1)
	case e.Op == "*" && counts(e.X):
		return w.addTo(d, e.Y, value.Binary("*", k, valueOf(e.X)), depth+1)
	case e.Op == "*" && counts(e.Y):
		return w.addTo(d, e.X, value.Binary("*", k, valueOf(e.Y)), depth+1)
	}
	t := e.String()
	if value.HasLeaf(e) {
		return false
	}
	d.terms[t] = e
	if old, ok := d.factors[t]; ok {
		k = value.Binary("+", old, k)
	}
	d.factors[t] = k
	return true
}

// strangers are the parts of an expression that are neither numbers nor leaves.
func (w *watch) strangers(e *value.Expr) []*value.Expr {
	return slices.DeleteFunc(value.Leaves(e, nil), func(l *value.Expr) bool { return l.Op == "" && strings.HasPrefix(l.Atom, value.LeafMark) })
}

// valueOf is an expression as a value.
func valueOf(e *value.Expr) value.Value {
	if e.IsConst {
		return value.Int(e.Num)
	}
	return value.Symbol{Expr: e}
}

// sumMark ends the place of a sum in watcher.grows. Behind it is the place of a factor.
const sumMark = "÷"

// stretched is a sum at a place with leaves for the factors that grow from round to round; false where none does.
func (v *survey) stretched(place string, e *value.Expr) (value.Value, bool) {
	if e.Op == "" && strings.HasPrefix(e.Atom, value.LeafMark) {
		return nil, false
	}
	at := place + sumMark
	if v.w.only != nil && !v.w.grows[at] {
		return nil, false
	}
	d, ok := v.w.sumOf(e)
	if !ok || len(d.factors) == 0 {
		return nil, false
	}
	grows := false
	leaf := func(at string, k value.Value) value.Value {
		x, ok := value.AsExpr(k)
		n, known := v.w.value(x)
		if ok && known {
			v.count(at, n)
		}
		if !v.w.grows[at] || !ok {
			return k
		}
		grows = true
		return value.Symbol{Expr: v.w.leaf(x)}
	}
	var out value.Value = leaf(at+"+", d.plus)
	for _, t := range slices.Sorted(maps.Keys(d.terms)) {
		out = value.Binary("+", out, value.Binary("*", leaf(at+t, d.factors[t]), value.Symbol{Expr: d.terms[t]}))
	}
	return out, grows
}

// walked is how the number of the step moves that a comparison of a walk over the grid asks about; false where something
// else about it does.
func (a *shifts) walked(e *value.Expr) (step *value.Expr, ok bool) {
	x, y := e.X, e.Y
	if e.Op == ">" || e.Op == "<=" {
		x, y = y, x
	}
	d, ok := a.w.sumOf(&value.Expr{Op: "-", X: x, Y: y})
	if !ok {
		return nil, false
	}
	step = value.Const(0)
	for t, k := range d.factors {
		f, isNumber := value.AsExpr(k)
		if !isNumber {
			return nil, false
		}
		if value.IsStride(d.terms[t], 0) {
			if !step.IsConst || step.Num != 0 {
				return nil, false
			}
			step = f
			continue
		}
		if by, ok := a.of(f); !ok || len(by) > 0 {
			return nil, false
		}
	}
	f, isNumber := value.AsExpr(d.plus)
	if !isNumber {
		return nil, false
	}
	by, ok := a.of(f)
	return step, ok && len(by) == 0
}
