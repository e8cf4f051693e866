package cuda

import (
	"fmt"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
)

// formula is how the host makes a number that is not known of two others.
type formula struct {
	op   string
	x, y *cell
}

// made is how a number that a kernel is given is made of an extent of its launch, or of another number that it is given.
type made struct {
	op   string // "": it is one
	x, y *made
	of   string // the special register, or the parameter; "": it is a constant
	n    int64
}

// Bounds of the formulas that are told apart, and of those that one kernel's numbers are made by.
const (
	maxFormula = 200 // bytes of text
	maxDeep    = 12
	maxMade    = 32
)

// extremes are the functions of a library that give one of two numbers (C++17 [alg.min.max]).
var extremes = map[string]string{"std::min": "min", "std::max": "max", "min": "min", "max": "max", "cuda::std::min": "min", "cuda::std::max": "max"}

func (m *made) String() string {
	switch {
	case m.op == "min" || m.op == "max":
		return fmt.Sprintf("%s(%s, %s)", m.op, m.x, m.y)
	case m.op != "":
		return fmt.Sprintf("%s %s %s", m.x.within(), m.op, m.y.within())
	case m.of != "":
		return extent{special: m.of}.String()
	}
	return fmt.Sprint(m.n)
}

func (m *made) within() string {
	if m.op != "" && m.op != "min" && m.op != "max" {
		return "(" + m.String() + ")"
	}
	return m.String()
}

// madeBy says how a number is made of what has a name in a launch; nil where it is not, or no more is known of it.
func (a *cell) madeBy(name func(*cell) string, depth int) *made {
	switch {
	case a == nil || depth > maxDeep:
		return nil
	case a.number != nil:
		return &made{n: a.number.N}
	case a.same == "":
		return nil
	}
	if of := name(a); of != "" {
		return &made{of: of}
	}
	if a.made == nil {
		return nil
	}
	x, y := a.made.x.madeBy(name, depth+1), a.made.y.madeBy(name, depth+1)
	if x == nil || y == nil {
		return nil
	}
	return &made{op: a.made.op, x: x, y: y}
}

// madeOf is a number that is made of others, in the type of the parameter that holds it: what the host computes is taken to fit there.
func (c *compiler) madeOf(m *made, t *ctype) value {
	switch {
	case m.op == "min" || m.op == "max":
		x, y := c.madeOf(m.x, t), c.madeOf(m.y, t)
		op := ir.Min
		if m.op == "max" {
			op = ir.Max
		}
		return c.compute(op, t, x.op, y.op)
	case m.op != "":
		x, y := c.madeOf(m.x, t), c.madeOf(m.y, t)
		if m.op == "<<" || m.op == ">>" {
			y = c.convert(y, uintType)
		}
		return c.compute(integerOps[m.op], t, x.op, y.op)
	case strings.HasPrefix(m.of, "%"):
		return c.convert(value{t: uintType, op: c.special(m.of)}, t)
	case m.of != "":
		c.parameter(m.of)
		return c.convert(c.load(c.placeOf(c.scope.names[m.of])), t)
	}
	return c.convert(value{t: longType, op: constant(m.n)}, t)
}

// composed is what an operator makes of two numbers of which at least one is not known; nil where it cannot be told from others.
func composed(op string, a, b *cell) *cell {
	if !a.counted() || !b.counted() || a.same == "" && b.same == "" || integerOps[op] == 0 && op != "min" && op != "max" {
		return nil
	}
	if n := b.number; n != nil && ((op == "/" || op == "%") && n.N <= 0 || (op == "<<" || op == ">>") && (n.N < 0 || n.N > 31)) {
		return nil
	}
	out := &cell{}
	if op == "*" {
		if of := product(a, b); of != nil {
			out = of
		}
	}
	out.made = &formula{op, a, b}
	if out.same == "" {
		out.same = fmt.Sprintf("(%s %s %s)", a.named(), op, b.named())
	}
	if len(out.same) > maxFormula {
		return nil
	}
	return out
}

// combined is what an operator makes of two numbers, whether they are known or not; nil where that cannot be told from others.
func combined(op string, a, b *cell) *cell {
	if a == nil || b == nil || a.number == nil || b.number == nil {
		return composed(op, a, b)
	}
	switch less := a.number.N < b.number.N; {
	case op == "min" && less, op == "max" && !less:
		return a
	case op == "min" || op == "max":
		return b
	}
	if n, known := ints.C(op, *a.number, *b.number); known {
		return &cell{number: &n}
	}
	return nil
}

// named is the number, or the name of one that is not known.
func (a *cell) named() string {
	if a.number != nil {
		return fmt.Sprint(a.number.N)
	}
	return a.same
}

// counted reports whether a cell holds a number, or one that is not known.
func (a *cell) counted() bool {
	return a != nil && a.parts == nil && (a.number != nil || a.same != "")
}
