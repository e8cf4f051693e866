package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Persistent kernels walk their tiles with arithmetic on the grid: tile = block_idx + i * grid_dim, valid while it is
// below the number of tiles. What each of the terms is worth does not matter; how many tiles the CTA gets does. So a
// comparison that is linear in a stride, which is unknown and positive, is decided by the number of steps for which it
// holds: it holds for step i if and only if i is less than that number, and the number is one unknown, the same for all
// roles that walk in the same way (notes/cutedsl.md R10).

// maxWalks bounds the walks of one kernel that are told apart.
const maxWalks = 16

// walked is a comparison that holds for a step of a walk over the grid while step < steps.
type walked struct {
	steps   *Expr
	step    int64
	negated bool
}

// strided recognises a comparison that belongs to a walk over the grid.
func (m *machine) strided(e *Expr) (w walked, ok bool) {
	x, y, negated := e.X, e.Y, false
	switch e.Op {
	case "<":
	case ">":
		x, y = y, x
	case ">=":
		negated = true
	case "<=":
		x, y, negated = y, x, true
	default:
		return w, false
	}
	d := Linear{Terms: map[string]int64{}, Exprs: map[string]*Expr{}, Resolve: m.resolve}
	if m.host || !d.Add(x, 1, 0) || !d.Add(y, -1, 0) {
		return w, false
	}
	step, stride := m.in.takeTicket(&d), ""
	if step == 0 {
		if step, stride, ok = d.TakeStride(); !ok {
			return w, false
		}
	}
	if d.Within(stride, step < 0) {
		return walked{&Expr{IsConst: true}, step, negated}, true
	}
	steps := m.steps(d, step != 0)
	if steps == nil || step < 0 {
		return w, false
	}
	return walked{steps, step, negated}, true
}

// steps is the number of steps of a walk for which a sum stays below zero; nil for a comparison of its own, as long as no
// further steps of the walk are met.
func (m *machine) steps(d Linear, further bool) *Expr {
	walk, walks := d.String(), m.in.low.walks
	if len(d.Terms) == 0 {
		return nil
	}
	if !slices.Contains(walks, walk) {
		if !further || len(walks) >= maxWalks {
			return nil
		}
		m.in.low.walks = append(walks, walk)
		panic(restart{})
	}
	steps := Atom(m.in.low.shortName("tiles", "steps while "+walk+" < 0"))
	m.in.low.domains[steps.Expr.String()] = TileCounts
	return steps.Expr
}

// roundedUp recognises x/stride, rounded up: as many steps are below x. Where x is below zero by more than a stride, the
// quotient is less than the none that this gives; a CTA's own place is less than a stride beyond the end of what it walks.
func (m *machine) roundedUp(e *Expr) *Expr {
	d := Linear{Terms: map[string]int64{}, Exprs: map[string]*Expr{}, Resolve: m.resolve}
	if m.host || !IsStride(e.Y, 0) || !d.Add(e.X, -1, 0) {
		return nil
	}
	if step, stride, ok := d.TakeStride(); !ok || step != -1 || stride != e.Y.String() || d.Plus != 1 {
		return nil
	}
	d.Plus = 0
	return m.steps(d, true)
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

// walk is the number of iterations of a range whose step is a stride of the grid.
func (m *machine) walk(r RangeValue, n program.Node) int64 {
	below := func(i int64) Value { return Binary("<", Binary("+", r.Lo, Binary("*", Int(i), r.Step)), r.Hi) }
	m.settle(below(1)) // the first step alone does not show the stride
	for i := int64(0); ; i++ {
		if i > maxTrips {
			m.stop(n, limit.Size, "loop of more than %d iterations", maxTrips)
		}
		if !m.truth(below(i), n) {
			return i
		}
	}
}
