package value

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Predecessor is i-1 where i is spelled as something plus one, or is a positive number.
func Predecessor(i *Expr) (*Expr, bool) {
	switch {
	case i.IsConst:
		return Const(i.Num - 1), i.Num > 0
	case i.Op == "+" && i.Y != nil && i.Y.IsConst && i.Y.Num == 1:
		return i.X, true
	case i.Op == "+" && i.Y != nil && i.X.IsConst && i.X.Num == 1:
		return i.Y, true
	}
	return nil, false
}

// ToValue is an expression as a value, a number where it is one.
func ToValue(e *Expr) Value {
	if e.IsConst {
		return Int(e.Num)
	}
	return Symbol{e}
}

// TileCounts are the numbers of tiles that are tried (DESIGN.md, "The protocol").
var TileCounts = []int64{0, 1, 2, 3}

// Linear is a sum of terms with factors, and a constant.
type Linear struct {
	Terms   map[string]int64
	Exprs   map[string]*Expr
	Plus    int64
	Resolve func(*Expr, bool) int64 // the value of a factor of a stride
}

// Add adds k times an expression; it fails on what is too large to look at.
func (d *Linear) Add(e *Expr, k int64, depth int) bool {
	if depth > 32 || len(d.Terms) > 32 || k > 1<<20 || k < -1<<20 {
		return false
	}
	switch {
	case e.IsConst:
		d.Plus += k * e.Num
		return e.Num < 1<<40 && e.Num > -1<<40
	case e.Op == "+" && e.Y != nil:
		return d.Add(e.X, k, depth+1) && d.Add(e.Y, k, depth+1)
	case e.Op == "-" && e.Y != nil:
		return d.Add(e.X, k, depth+1) && d.Add(e.Y, -k, depth+1)
	case e.Op == "*" && e.Y.IsConst:
		return d.Add(e.X, k*e.Y.Num, depth+1)
	case e.Op == "*" && e.X.IsConst:
		return d.Add(e.Y, k*e.X.Num, depth+1)
	case e.Op == "*" && IsStride(e.Y, 0) != IsStride(e.X, 0):
		stride, factor := e.Y, e.X
		if IsStride(factor, 0) {
			stride, factor = factor, stride
		}
		if n := d.Resolve(factor, false); n < 1<<20 && n > -1<<20 {
			return d.Add(stride, k*n, depth+1)
		}
	}
	t := e.String()
	d.Exprs[t] = e
	if d.Terms[t] += k; d.Terms[t] == 0 {
		delete(d.Terms, t)
	}
	return true
}

// TakeStride removes the term that is a stride and gives its factor, 0 where there is none; it fails where there are two.
func (d *Linear) TakeStride() (step int64, stride string, ok bool) {
	for _, t := range slices.Sorted(maps.Keys(d.Terms)) {
		if !IsStride(d.Exprs[t], 0) {
			continue
		}
		if stride != "" {
			return 0, "", false
		}
		stride = t
	}
	step = d.Terms[stride]
	delete(d.Terms, stride)
	return step, stride, true
}

// Within reports whether a sum is the CTA's place in the grid along the axis whose extent the stride is, which is from 0
// to stride-1, less an extent where the sum may be less.
func (d *Linear) Within(stride string, less bool) bool {
	place := "block_idx." + strings.TrimPrefix(stride, "grid_dim.")
	for t, k := range d.Terms {
		switch {
		case strings.HasPrefix(t, "block_idx.") && k == 1 && (t == place || stride == ""):
			place = t
		case k > 0 || !less:
			return false
		}
	}
	return d.Terms[place] == 1 && (d.Plus == 0 || d.Plus < 0 && less)
}

// IsStride reports whether an expression is a number of CTAs or clusters of the grid.
func IsStride(e *Expr, depth int) bool {
	switch {
	case e.IsConst || depth > 8:
		return false
	case e.Op == "":
		return strings.HasPrefix(e.Atom, "grid_dim.") || strings.HasPrefix(e.Atom, "cluster_dim.")
	case e.Op == "*" && e.Y != nil:
		return IsStride(e.X, depth+1) && IsStride(e.Y, depth+1)
	case e.Op == "//" || e.Op == "/":
		return IsStride(e.X, depth+1) && (e.Y.IsConst && e.Y.Num > 0)
	}
	return false
}

func (d *Linear) String() string {
	var b strings.Builder
	for _, t := range slices.Sorted(maps.Keys(d.Terms)) {
		fmt.Fprintf(&b, "%+d*%s ", d.Terms[t], t)
	}
	fmt.Fprintf(&b, "%+d", d.Plus)
	return b.String()
}

// MaxScale bounds how coarsely the values of a size are spaced.
const MaxScale = 1 << 20

// Leaves lists the leaves of an expression.
func Leaves(e *Expr, out []*Expr) []*Expr {
	switch {
	case e.IsConst:
		return out
	case e.Op == "", e.Op == "**":
		return append(out, e)
	}
	out = Leaves(e.X, out)
	if e.Y != nil {
		out = Leaves(e.Y, out)
	}
	return out
}

// Coefficient is the factor num/den with which a leaf enters an expression, where it enters at all.
func Coefficient(e, leaf *Expr) (num, den int64) {
	if e == leaf || e.String() == leaf.String() {
		return 1, 1
	}
	if e.IsConst || e.Op == "" {
		return 0, 1
	}
	num, den = Coefficient(e.X, leaf)
	if num == 0 && e.Y != nil {
		if num, den = Coefficient(e.Y, leaf); e.Op == "*" && e.X.IsConst {
			num *= max(1, e.X.Num)
		}
		return num, den
	}
	if e.Y != nil && e.Y.IsConst && e.Y.Num > 0 && num < MaxScale && den < MaxScale {
		switch e.Op {
		case "*":
			num *= min(e.Y.Num, MaxScale)
		case "//", "/":
			den *= min(e.Y.Num, MaxScale)
		case ">>":
			den <<= min(e.Y.Num, 20)
		}
	}
	return num, den
}

// Gcd is the greatest common divisor.
func Gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(1, a)
}
