package kernel

// Scope gives variables their types.
type Scope map[string]Type

// Of is the type of an expression, by the rules of a language. Conditions are Ints.
//
// C++ promotes what is narrower than an int to int, and of an int and an unsigned takes the unsigned (ISO C++ [conv.prom],
// [expr.arith.conv]). CuTe DSL does not promote: two Bytes give a Byte, of a Byte and something wider the wider one is
// taken, and of an Int and an Unsigned the Unsigned.
func (l Language) Of(e *Expr, scope Scope) Type {
	switch e.Op {
	case Const, Cast:
		return e.Type
	case Tid:
		if l == CUDA && e.Form == 1 {
			return Unsigned
		}
		return scope[""]
	case Var:
		return scope[e.Name]
	case Add, Sub, Mul, Div, Rem, And, Or, Xor:
		return l.Common(l.Of(e.Args[0], scope), l.Of(e.Args[1], scope))
	case Shl, Shr:
		if l == CuTe {
			return l.Common(l.Of(e.Args[0], scope), l.Of(e.Args[1], scope))
		}
		return l.Common(l.Of(e.Args[0], scope), Int)
	case Select:
		return l.Common(l.Of(e.Args[1], scope), l.Of(e.Args[2], scope))
	}
	return Int
}

// Common is the type in which an operator works on operands of two types.
func (l Language) Common(a, b Type) Type {
	switch {
	case a == Unsigned || b == Unsigned:
		return Unsigned
	case l == CuTe && a == Byte && b == Byte:
		return Byte
	}
	return Int
}
