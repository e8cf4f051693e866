package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	d := linear{terms: map[string]int64{}, exprs: map[string]*symExpr{}}
	if m.host || !d.add(x, 1, 0) || !d.add(y, -1, 0) {
		return w, false
	}
	step := d.takeTicket(m.in)
	if step == 0 {
		step = d.takeStride()
	}
	walk := d.String()
	walks := m.in.low.walks
	switch {
	case step < 0 || len(d.terms) == 0:
		return w, false
	case !slices.Contains(walks, walk):
		if step == 0 || len(walks) >= maxWalks {
			return w, false // a comparison of its own until further steps of the walk are met
		}
		m.in.low.walks = append(walks, walk)
		panic(restart{})
	}
	steps := atom(m.in.low.shortName("tiles", "steps while "+walk+" < 0"))
	m.in.low.domains[steps.expr.String()] = tileCounts
	return walked{steps.expr, step, negated}, true
}

// tileCounts are the numbers of tiles that are tried (DESIGN.md, "The protocol").
var tileCounts = []int64{0, 1, 2, 3}

// linear is a sum of terms with factors, and a constant.
type linear struct {
	terms map[string]int64
	exprs map[string]*symExpr
	plus  int64
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
	}
	t := e.String()
	d.exprs[t] = e
	if d.terms[t] += k; d.terms[t] == 0 {
		delete(d.terms, t)
	}
	return true
}

// takeStride removes the term that is a stride and gives its factor: 0 where there is none, -1 where it cannot be told.
func (d *linear) takeStride() int64 {
	stride := ""
	for _, t := range slices.Sorted(maps.Keys(d.terms)) {
		if !isStride(d.exprs[t], 0) {
			continue
		}
		if stride != "" {
			return -1
		}
		stride = t
	}
	if stride == "" {
		return 0
	}
	step := d.terms[stride]
	delete(d.terms, stride)
	return step
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
			m.stop(n, "loop of more than %d iterations", maxTrips)
		}
		if !m.truth(below(i), n) {
			return i
		}
	}
}
