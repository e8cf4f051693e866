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
	steps   *symExpr
	step    int64
	negated bool
}

// strided recognises a comparison that belongs to a walk over the grid.
func (m *machine) strided(e *symExpr) (w walked, ok bool) {
	x, y, negated := e.x, e.y, false
	switch e.op {
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
	d := linear{terms: map[string]int64{}, exprs: map[string]*symExpr{}, resolve: m.resolve}
	if m.host || !d.add(x, 1, 0) || !d.add(y, -1, 0) {
		return w, false
	}
	step, stride := m.in.takeTicket(&d), ""
	if step == 0 {
		if step, stride, ok = d.takeStride(); !ok {
			return w, false
		}
	}
	if d.within(stride, step < 0) {
		return walked{&symExpr{isN: true}, step, negated}, true
	}
	steps := m.steps(d, step != 0)
	if steps == nil || step < 0 {
		return w, false
	}
	return walked{steps, step, negated}, true
}

// steps is the number of steps of a walk for which a sum stays below zero; nil for a comparison of its own, as long as no
// further steps of the walk are met.
func (m *machine) steps(d linear, further bool) *symExpr {
	walk, walks := d.String(), m.in.low.walks
	if len(d.terms) == 0 {
		return nil
	}
	if !slices.Contains(walks, walk) {
		if !further || len(walks) >= maxWalks {
			return nil
		}
		m.in.low.walks = append(walks, walk)
		panic(restart{})
	}
	steps := atom(m.in.low.shortName("tiles", "steps while "+walk+" < 0"))
	m.in.low.domains[steps.expr.String()] = tileCounts
	return steps.expr
}

// roundedUp recognises x/stride, rounded up: as many steps are below x. Where x is below zero by more than a stride, the
// quotient is less than the none that this gives; a CTA's own place is less than a stride beyond the end of what it walks.
func (m *machine) roundedUp(e *symExpr) *symExpr {
	d := linear{terms: map[string]int64{}, exprs: map[string]*symExpr{}, resolve: m.resolve}
	if m.host || !isStride(e.y, 0) || !d.add(e.x, -1, 0) {
		return nil
	}
	if step, stride, ok := d.takeStride(); !ok || step != -1 || stride != e.y.String() || d.plus != 1 {
		return nil
	}
	d.plus = 0
	return m.steps(d, true)
}

// tileCounts are the numbers of tiles that are tried (DESIGN.md, "The protocol").
var tileCounts = []int64{0, 1, 2, 3}

// linear is a sum of terms with factors, and a constant.
type linear struct {
	terms   map[string]int64
	exprs   map[string]*symExpr
	plus    int64
	resolve func(*symExpr, bool) int64 // the value of a factor of a stride
}

// add adds k times an expression; it fails on what is too large to look at.
func (d *linear) add(e *symExpr, k int64, depth int) bool {
	if depth > 32 || len(d.terms) > 32 || k > 1<<20 || k < -1<<20 {
		return false
	}
	switch {
	case e.isN:
		d.plus += k * e.num
		return e.num < 1<<40 && e.num > -1<<40
	case e.op == "+" && e.y != nil:
		return d.add(e.x, k, depth+1) && d.add(e.y, k, depth+1)
	case e.op == "-" && e.y != nil:
		return d.add(e.x, k, depth+1) && d.add(e.y, -k, depth+1)
	case e.op == "*" && e.y.isN:
		return d.add(e.x, k*e.y.num, depth+1)
	case e.op == "*" && e.x.isN:
		return d.add(e.y, k*e.x.num, depth+1)
	case e.op == "*" && isStride(e.y, 0) != isStride(e.x, 0):
		stride, factor := e.y, e.x
		if isStride(factor, 0) {
			stride, factor = factor, stride
		}
		if n := d.resolve(factor, false); n < 1<<20 && n > -1<<20 {
			return d.add(stride, k*n, depth+1)
		}
	}
	t := e.String()
	d.exprs[t] = e
	if d.terms[t] += k; d.terms[t] == 0 {
		delete(d.terms, t)
	}
	return true
}

// takeStride removes the term that is a stride and gives its factor, 0 where there is none; it fails where there are two.
func (d *linear) takeStride() (step int64, stride string, ok bool) {
	for _, t := range slices.Sorted(maps.Keys(d.terms)) {
		if !isStride(d.exprs[t], 0) {
			continue
		}
		if stride != "" {
			return 0, "", false
		}
		stride = t
	}
	step = d.terms[stride]
	delete(d.terms, stride)
	return step, stride, true
}

// within reports whether a sum is the CTA's place in the grid along the axis whose extent the stride is, which is from 0
// to stride-1, less an extent where the sum may be less.
func (d *linear) within(stride string, less bool) bool {
	place := "block_idx." + strings.TrimPrefix(stride, "grid_dim.")
	for t, k := range d.terms {
		switch {
		case strings.HasPrefix(t, "block_idx.") && k == 1 && (t == place || stride == ""):
			place = t
		case k > 0 || !less:
			return false
		}
	}
	return d.terms[place] == 1 && (d.plus == 0 || d.plus < 0 && less)
}

// isStride reports whether an expression is a number of CTAs or clusters of the grid.
func isStride(e *symExpr, depth int) bool {
	switch {
	case e.isN || depth > 8:
		return false
	case e.op == "":
		return strings.HasPrefix(e.atom, "grid_dim.") || strings.HasPrefix(e.atom, "cluster_dim.")
	case e.op == "*" && e.y != nil:
		return isStride(e.x, depth+1) && isStride(e.y, depth+1)
	case e.op == "//" || e.op == "/":
		return isStride(e.x, depth+1) && (e.y.isN && e.y.num > 0)
	}
	return false
}

func (d *linear) String() string {
	var b strings.Builder
	for _, t := range slices.Sorted(maps.Keys(d.terms)) {
		fmt.Fprintf(&b, "%+d*%s ", d.terms[t], t)
	}
	fmt.Fprintf(&b, "%+d", d.plus)
	return b.String()
}

// walk is the number of iterations of a range whose step is a stride of the grid.
func (m *machine) walk(r rangeValue, n program.Node) int64 {
	below := func(i int64) value { return binary("<", binary("+", r.lo, binary("*", integer(i), r.step)), r.hi) }
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
