package cuda

import (
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// ratio is a floating-point number that is a quotient of products of integers, as blockDim.x / 32.f is. It is so where it is computed: its integers may be those of variables.
type ratio struct{ num, den []value }

// What a literal is looked for as: a multiple of 1/1024 up to 2^20; and how many integers a ratio has above and below.
const (
	maxRatioShift   = 10
	maxRatioNumber  = 1 << 20
	maxRatioFactors = 4
)

// rational reports whether an expression may be a quotient of integers that is computed as a floating-point number.
func rational(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Float:
			found = true
		case *program.Cast:
			found = found || e.Type == "float" || e.Type == "double"
		}
		return !found
	})
	return found
}

// literalRatio is what a literal stands for; nil where that is no quotient of small integers.
func literalRatio(x *program.Float) *ratio {
	f, err := strconv.ParseFloat(strings.TrimRight(x.Text, "fFlL"), 64)
	if err != nil || f <= 0 || f > maxRatioNumber {
		return nil
	}
	for shift := range maxRatioShift + 1 {
		if n := f * float64(int64(1)<<shift); n == math.Trunc(n) {
			return &ratio{num: []value{{t: longType, op: constant(int64(n))}}, den: []value{{t: longType, op: constant(1 << shift)}}}
		}
	}
	return nil
}

// quotient evaluates an expression, and gives the ratio that it is, too; nil where it is none.
func (c *compiler) quotient(x program.Expr) (value, *ratio) {
	switch x := x.(type) {
	case *program.Float:
		return c.expr(x), literalRatio(x)
	case *program.Cast:
		if t := c.typeOr(x.Type); t.data() && !c.spelled(x.Type).reference {
			v, r := c.quotient(x.X)
			return c.convert(v, t), r
		}
	case *program.Binary:
		if x.Op != "/" && x.Op != "*" || !rational(x) {
			break
		}
		a, p := c.quotient(x.X)
		b, q := c.quotient(x.Y)
		v := c.operate(x.Op, a, b)
		if p == nil || q == nil || !v.t.data() {
			return v, nil
		}
		if x.Op == "/" {
			q = &ratio{num: q.den, den: q.num}
		}
		r := &ratio{num: append(append([]value(nil), p.num...), q.num...), den: append(append([]value(nil), p.den...), q.den...)}
		if len(r.num) > maxRatioFactors || len(r.den) > maxRatioFactors {
			return v, nil
		}
		return v, r
	case *program.Call:
		id, named := x.Fun.(*program.Name)
		if !named || len(x.Args) != 1 || !rational(x) {
			break
		}
		switch last := lastName(id.Ident); {
		case len(c.functions[last]) > 0:
		case last == "ceil" || last == "ceilf" || last == "floor" || last == "floorf":
			v, r := c.quotient(x.Args[0])
			if !v.t.data() {
				break
			}
			v = c.apply(last, v.t, v)
			if r != nil {
				r = &ratio{num: []value{c.rounded(r, last[0] == 'c')}}
			}
			return v, r
		}
	}
	v := c.plain(c.loaded(c.expr(x)))
	if !v.t.integer() || v.input != "" || v.address != nil {
		return v, nil
	}
	return v, &ratio{num: []value{v}}
}

// product multiplies integers.
func (c *compiler) product(factors []value) value {
	out := value{t: longType, op: constant(1)}
	for k, f := range factors {
		if f = c.convert(f, longType); k == 0 || out.op.Reg == -1 && out.op.Imm == 1 {
			out = f
		} else if f.op.Reg != -1 || f.op.Imm != 1 {
			out = c.compute(ir.Mul, longType, out.op, f.op)
		}
	}
	return out
}

// exactly says what is taken for granted where quotients are computed with integers.
func (c *compiler) exactly() {
	c.assume("quotients of integers that are computed as floating-point numbers are exact, and not negative")
}

// compareRatios compares two expressions one of which at least is a quotient of integers, by products of these.
func (c *compiler) compareRatios(x *program.Binary) value {
	a, p := c.quotient(x.X)
	if a.t.fields != nil {
		if out, is := c.operator(x.Op, a, x, []program.Expr{x.Y}, false); is {
			return out
		}
	}
	b, q := c.quotient(x.Y)
	if out, is := c.freely(x.Op, x, []program.Expr{x.X, x.Y}, []value{a, b}, false); is {
		return out
	}
	if p == nil || q == nil || !a.t.data() && !b.t.data() {
		return c.operate(x.Op, a, b)
	}
	c.exactly()
	left := c.product(append(append([]value(nil), p.num...), q.den...))
	right := c.product(append(append([]value(nil), q.num...), p.den...))
	return value{t: boolType, op: c.compare(comparisons[x.Op], longType.number, left.op, right.op)}
}

// rounded is a quotient rounded up or down.
func (c *compiler) rounded(r *ratio, up bool) value {
	c.exactly()
	num, den := c.product(r.num), c.product(r.den)
	if up {
		num = c.compute(ir.Add, longType, num.op, c.compute(ir.Sub, longType, den.op, constant(1)).op)
	}
	return c.compute(ir.Div, longType, num.op, den.op)
}
