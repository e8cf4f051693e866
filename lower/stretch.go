package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/iteration"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// A place in the grid that a persistent kernel goes on to is a sum in which a stride that nobody knows counts the rounds:
// block_idx.x + 3 * grid_dim.x. There the factor is what grows from round to round.

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
	d, ok := iteration.SumOf(e)
	if !ok || len(d.Factors) == 0 {
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
	var out value.Value = leaf(at+"+", d.Plus)
	for _, t := range slices.Sorted(maps.Keys(d.Terms)) {
		out = value.Binary("+", out, value.Binary("*", leaf(at+t, d.Factors[t]), value.Symbol{Expr: d.Terms[t]}))
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
	d, ok := iteration.SumOf(&value.Expr{Op: "-", X: x, Y: y})
	if !ok {
		return nil, false
	}
	step = value.Const(0)
	for t, k := range d.Factors {
		f, isNumber := value.AsExpr(k)
		if !isNumber {
			return nil, false
		}
		if value.IsStride(d.Terms[t], 0) {
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
	f, isNumber := value.AsExpr(d.Plus)
	if !isNumber {
		return nil, false
	}
	by, ok := a.of(f)
	return step, ok && len(by) == 0
}
