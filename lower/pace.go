package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A loop whose counter goes on by a stride, i += blockDim.x, goes round as often as its end has strides in it: an end of
// three elements is less than one round. So the ends of such loops are multiples of the stride, and a few elements
// more or less, where some threads go round once more than others.

// pace is how a loop's counter goes on: the sides of its test when it was asked last.
type pace struct{ x, y value.Value }

// next takes the sides of the test before a round. Where one goes on by a number, that is the stride of what is unknown of the two:
// of the end, or of where it began, as in left -= 128.
func (p *pace) next(m *machine, test program.Expr, s *value.Scope) {
	b := comparison(test)
	if b == nil || m.host || m.watch != nil {
		return
	}
	old := *p
	*p = pace{m.eval(b.X, s), m.eval(b.Y, s)}
	if old.x == nil {
		return
	}
	m.goesOn(old.x, p.x, p.y)
	m.goesOn(old.y, p.y, p.x)
	m.goesOn(old.x, p.x, p.x)
	m.goesOn(old.y, p.y, p.y)
}

func (m *machine) goesOn(from, to, end value.Value) {
	e, ok := end.(value.Symbol)
	step, is := apart(from, to)
	if !ok || !is || step == 1 || step == -1 || step == 0 {
		return
	}
	m.strideOf(e.Expr, max(step, -step))
}

// apart is by how much a number has gone on, where that is known: also if it began as an unknown.
func apart(from, to value.Value) (step int64, ok bool) {
	if x, is := from.(value.Symbol); is {
		y, is := to.(value.Symbol)
		d := value.Linear{Terms: map[string]int64{}, Exprs: map[string]*value.Expr{}, Resolve: func(*value.Expr, bool) int64 { return 1 << 20 }}
		is = is && d.Add(y.Expr, 1, 0) && d.Add(x.Expr, -1, 0) && len(d.Terms) == 0
		return d.Plus, is
	}
	n, ok := value.Binary("-", to, from).(value.Int)
	return int64(n), ok
}

// strideOf notes the stride in which a counter goes on to an end.
func (m *machine) strideOf(end *value.Expr, step int64) {
	for _, l := range value.Leaves(end, nil) {
		m.in.low.strides[l.String()] = true
	}
	m.space(end, step)
}

// comparison is the first comparison of plain values in a test: to evaluate it once more changes nothing.
func comparison(test program.Expr) *program.Binary {
	b, ok := test.(*program.Binary)
	switch {
	case !ok:
		return nil
	case b.Op == "&&":
		if x := comparison(b.X); x != nil {
			return x
		}
		return comparison(b.Y)
	case value.IsComparison(b.Op) && harmless(b.X) && harmless(b.Y):
		return b
	}
	return nil
}

func harmless(e program.Expr) bool {
	ok := true
	program.WalkExprs(e, func(e program.Expr) bool {
		switch e.(type) {
		case *program.Name, *program.Int, *program.Attr, *program.Binary, *program.Unary:
		default:
			ok = false
		}
		return ok
	})
	return ok
}
