package integer

import "math/bits"

// Number is a number of a type.
type Number struct {
	Type
	N int64
}

// Promoted is the type to which C++ promotes an operand before it computes: what is narrower than int becomes int (C++17
// [conv.prom]).
func Promoted(t Type) Type {
	if t.Bits < 32 {
		return Int32
	}
	return t
}

// Usual is the type to which C++ brings both operands: the wider one, and of two of one width that without a sign (C++17
// [expr], the usual arithmetic conversions). Types of one width are of one rank here: long and long long differ in nothing
// but their names.
func Usual(a, b Type) Type {
	a, b = Promoted(a), Promoted(b)
	switch {
	case a.Bits > b.Bits:
		return a
	case b.Bits > a.Bits:
		return b
	}
	return Type{a.Bits, a.Signed && b.Signed}
}

// Result is the type of x op y in C++: that of a comparison is bool, that of a shift the left operand's.
func Result(op string, a, b Type) Type {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
		return Bool
	case "<<", ">>":
		return Promoted(a)
	}
	return Usual(a, b)
}

// C applies an operator of C++. It is false where the result is not defined: where Modular is not, and where a sum, a
// difference or a product of a type with a sign does not fit. A left shift of a negative number is what C++20 makes of it
// and compilers always did.
func C(op string, x, y Number) (Number, bool) {
	switch op {
	case "&&", "||":
		yes := x.N != 0 && y.N != 0
		if op == "||" {
			yes = x.N != 0 || y.N != 0
		}
		return Number{Bool, truth(yes)}, true
	case "<<", ">>":
		t := Promoted(x.Type)
		if y.Signed && y.N < 0 {
			return Number{}, false
		}
		n, ok := t.Modular(op, t.Wrap(x.N), y.N)
		return Number{t, n}, ok
	}
	t := Usual(x.Type, y.Type)
	a, b := t.Wrap(x.N), t.Wrap(y.N)
	n, ok := t.Modular(op, a, b)
	return Number{Result(op, x.Type, y.Type), n}, ok && !t.Overflows(op, a, b)
}

// CUnary applies "-", "+", "~" or "!" of C++.
func CUnary(op string, x Number) (Number, bool) {
	t := Promoted(x.Type)
	a := t.Wrap(x.N)
	switch op {
	case "-":
		return Number{t, t.Neg(a)}, !t.Signed || a != t.Least()
	case "~":
		return Number{t, t.Not(a)}, true
	case "!":
		return Number{Bool, truth(x.N == 0)}, true
	}
	return Number{t, a}, true
}

// Overflows reports a sum, difference or product of a type with a sign that is no number of the type.
func (t Type) Overflows(op string, x, y int64) bool {
	if !t.Signed {
		return false
	}
	r := int64(0)
	switch op {
	case "+":
		r = x + y
		if t.Bits == 64 {
			return (x < 0) == (y < 0) && (r < 0) != (x < 0)
		}
	case "-":
		r = x - y
		if t.Bits == 64 {
			return (x < 0) != (y < 0) && (r < 0) != (x < 0)
		}
	case "*":
		if t.Bits == 64 {
			hi, lo := bits.Mul64(magnitude(x), magnitude(y))
			negative := (x < 0) != (y < 0)
			return hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative
		}
		r = x * y
	default:
		return false
	}
	return !t.Holds(r)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
