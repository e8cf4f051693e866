package lower

import (
	"maps"
	"slices"
	"strings"
)

// A place in the grid that a persistent kernel goes on to is a sum in which a stride that nobody knows counts the rounds:
// block_idx.x + 3 * grid_dim.x. There the factor is what grows from round to round.

// sum is an expression as a sum of terms with factors that may have leaves in them, and of a number.
type sum struct {
	factors map[string]value
	terms   map[string]*symExpr
	plus    value
}

// sumOf takes an expression apart; it fails on what is too large to look at.
func (w *watch) sumOf(e *symExpr) (sum, bool) {
	d := sum{map[string]value{}, map[string]*symExpr{}, integer(0)}
	return d, w.addTo(&d, e, integer(1), 0)
}

func (w *watch) addTo(d *sum, e *symExpr, k value, depth int) bool {
	if depth > maxOperators || len(d.factors) > 32 {
		return false
	}
	counts := func(x *symExpr) bool { return x.isN || hasLeaf(x) && len(w.strangers(x)) == 0 }
	switch {
	case counts(e):
		d.plus = binary("+", d.plus, binary("*", k, valueOf(e)))
		return true
	case e.op == "+" && e.y != nil:
		return w.addTo(d, e.x, k, depth+1) && w.addTo(d, e.y, k, depth+1)
	case e.op == "-" && e.y != nil:
		return w.addTo(d, e.x, k, depth+1) && w.addTo(d, e.y, binary("*", integer(-1), k), depth+1)
	case e.op == "*" && counts(e.x):
		return w.addTo(d, e.y, binary("*", k, valueOf(e.x)), depth+1)
	case e.op == "*" && counts(e.y):
		return w.addTo(d, e.x, binary("*", k, valueOf(e.y)), depth+1)
	}
	t := e.String()
	if hasLeaf(e) {
		return false
	}
	d.terms[t] = e
	if old, ok := d.factors[t]; ok {
		k = binary("+", old, k)
	}
	d.factors[t] = k
	return true
}

// strangers are the parts of an expression that are neither numbers nor leaves.
func (w *watch) strangers(e *symExpr) []*symExpr {
	return slices.DeleteFunc(symLeaves(e, nil), func(l *symExpr) bool { return l.op == "" && strings.HasPrefix(l.atom, leafMark) })
}

// valueOf is an expression as a value.
func valueOf(e *symExpr) value {
	if e.isN {
		return integer(e.num)
	}
	return symbol{e}
}

// sumMark ends the place of a sum in watcher.grows. Behind it is the place of a factor.
const sumMark = "÷"

// stretched is a sum at a place with leaves for the factors that grow from round to round; false where none does.
func (v *survey) stretched(place string, e *symExpr) (value, bool) {
	if e.op == "" && strings.HasPrefix(e.atom, leafMark) {
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
	leaf := func(at string, k value) value {
		x, ok := asSym(k)
		n, known := v.w.value(x)
		if ok && known {
			v.count(at, n)
		}
		if !v.w.grows[at] || !ok {
			return k
		}
		grows = true
		return symbol{v.w.leaf(x)}
	}
	var out value = leaf(at+"+", d.plus)
	for _, t := range slices.Sorted(maps.Keys(d.terms)) {
		out = binary("+", out, binary("*", leaf(at+t, d.factors[t]), symbol{d.terms[t]}))
	}
	return out, grows
}

// walked is how the number of the step moves that a comparison of a walk over the grid asks about; false where something
// else about it does.
func (a *shifts) walked(e *symExpr) (step *symExpr, ok bool) {
	x, y := e.x, e.y
	if e.op == ">" || e.op == "<=" {
		x, y = y, x
	}
	d, ok := a.w.sumOf(&symExpr{op: "-", x: x, y: y})
	if !ok {
		return nil, false
	}
	step = number(0)
	for t, k := range d.factors {
		f, isNumber := asSym(k)
		if !isNumber {
			return nil, false
		}
		if isStride(d.terms[t], 0) {
			if !step.isN || step.num != 0 {
				return nil, false
			}
			step = f
			continue
		}
		if by, ok := a.of(f); !ok || len(by) > 0 {
			return nil, false
		}
	}
	f, isNumber := asSym(d.plus)
	if !isNumber {
		return nil, false
	}
	by, ok := a.of(f)
	return step, ok && len(by) == 0
}
