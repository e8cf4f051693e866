package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
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
	steps   *value.Expr
	step    int64
	negated bool
}

// strided recognises a comparison that belongs to a walk over the grid.
func (m *machine) strided(e *value.Expr) (w walked, ok bool) {
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
	d := value.Linear{Terms: map[string]int64{}, Exprs: map[string]*value.Expr{}, Resolve: m.resolve}
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
		return walked{&value.Expr{IsConst: true}, step, negated}, true
	}
	steps := m.steps(d, step != 0)
	if steps == nil || step < 0 {
		return w, false
	}
	return walked{steps, step, negated}, true
}

// steps is the number of steps of a walk for which a sum stays below zero; nil for a comparison of its own, as long as no
// further steps of the walk are met.
func (m *machine) steps(d value.Linear, further bool) *value.Expr {
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
	steps := value.Atom(m.in.low.shortName("tiles", "steps while "+walk+" < 0"))
	m.in.low.domains[steps.Expr.String()] = value.TileCounts
	return steps.Expr
}

// roundedUp recognises x/stride, rounded up: as many steps are below x. Where x is below zero by more than a stride, the
// quotient is less than the none that this gives; a CTA's own place is less than a stride beyond the end of what it walks.
func (m *machine) roundedUp(e *value.Expr) *value.Expr {
	d := value.Linear{Terms: map[string]int64{}, Exprs: map[string]*value.Expr{}, Resolve: m.resolve}
	if m.host || !value.IsStride(e.Y, 0) || !d.Add(e.X, -1, 0) {
		return nil
	}
	if step, stride, ok := d.TakeStride(); !ok || step != -1 || stride != e.Y.String() || d.Plus != 1 {
		return nil
	}
	d.Plus = 0
	return m.steps(d, true)
}

// walk is the number of iterations of a range whose step is a stride of the grid.
func (m *machine) walk(r value.RangeValue, n program.Node) int64 {
	below := func(i int64) value.Value {
		return value.Binary("<", value.Binary("+", r.Lo, value.Binary("*", value.Int(i), r.Step)), r.Hi)
	}
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
