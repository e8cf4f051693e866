package iteration

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Sum is an expression as a sum of terms with factors that may have leaves in them, and of a number.
type Sum struct {
	Factors map[string]value.Value
	Terms   map[string]*value.Expr
	Plus    value.Value
}

// SumOf takes an expression apart; it fails on what is too large to look at.
func SumOf(e *value.Expr) (Sum, bool) {
	d := Sum{map[string]value.Value{}, map[string]*value.Expr{}, value.Int(0)}
	return d, addTo(&d, e, value.Int(1), 0)
}

func addTo(d *Sum, e *value.Expr, k value.Value, depth int) bool {
	if depth > value.MaxOperators || len(d.Factors) > 32 {
		return false
	}
	counts := func(x *value.Expr) bool { return x.IsConst || value.HasLeaf(x) && len(strangers(x)) == 0 }
	switch {
	case counts(e):
		d.Plus = value.Binary("+", d.Plus, value.Binary("*", k, valueOf(e)))
		return true
	case e.Op == "+" && e.Y != nil:
		return addTo(d, e.X, k, depth+1) && addTo(d, e.Y, k, depth+1)
	case e.Op == "-" && e.Y != nil:
		return addTo(d, e.X, k, depth+1) && addTo(d, e.Y, value.Binary("*", value.Int(-1), k), depth+1)
	case e.Op == "*" && counts(e.X):
		return addTo(d, e.Y, value.Binary("*", k, valueOf(e.X)), depth+1)
	case e.Op == "*" && counts(e.Y):
		return addTo(d, e.X, value.Binary("*", k, valueOf(e.Y)), depth+1)
	}
	t := e.String()
	if value.HasLeaf(e) {
		return false
	}
	d.Terms[t] = e
	if old, ok := d.Factors[t]; ok {
		k = value.Binary("+", old, k)
	}
	d.Factors[t] = k
	return true
}

// strangers are the parts of an expression that are neither numbers nor leaves.
func strangers(e *value.Expr) []*value.Expr {
	return slices.DeleteFunc(value.Leaves(e, nil), func(l *value.Expr) bool { return l.Op == "" && strings.HasPrefix(l.Atom, value.LeafMark) })
}

// valueOf is an expression as a value.
func valueOf(e *value.Expr) value.Value {
	if e.IsConst {
		return value.Int(e.Num)
	}
	return value.Symbol{Expr: e}
}

// Summed is the unknown that a sum begins with.
func Summed(e *value.Expr) string {
	for (e.Op == "+" || e.Op == "-") && e.Y != nil {
		e = e.X
	}
	return e.Atom
}
