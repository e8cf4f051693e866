package reference

import "github.com/fencepost-dev/fencepost/judge/kernel"

// number is a value of one of the three types. Data says that it was read from memory.
type number struct {
	v    int64
	t    kernel.Type
	data bool
}

// fit brings a value into the range of a type, as a conversion does: modulo two to its width.
func fit(v int64, t kernel.Type) int64 {
	switch t {
	case kernel.Unsigned:
		return int64(uint32(v))
	case kernel.Byte:
		return int64(uint8(v))
	}
	return int64(int32(v))
}

// undefined is the panic of an execution that its language gives no meaning, or that goes on for too long.
type undefined string

// operate applies an operator of two operands.
func operate(l kernel.Language, op kernel.Op, a, b number) number {
	t := l.Common(a.t, b.t)
	if l == kernel.CUDA && (op == kernel.Shl || op == kernel.Shr) {
		t = l.Common(a.t, kernel.Int)
	}
	x, y := fit(a.v, t), fit(b.v, t)
	var v int64
	switch op {
	case kernel.Add:
		v = x + y
	case kernel.Sub:
		v = x - y
	case kernel.Mul:
		v = x * y
	case kernel.Div, kernel.Rem:
		if y == 0 {
			panic(undefined("a division by zero"))
		}
		if l == kernel.CuTe && (x < 0 || y < 0) {
			panic(undefined("a division of a negative number, of which the two stages of the DSL think differently"))
		}
		v = x / y
		if op == kernel.Rem {
			v = x % y
		}
	case kernel.And:
		v = x & y
	case kernel.Or:
		v = x | y
	case kernel.Xor:
		v = x ^ y
	case kernel.Shl, kernel.Shr:
		if b.v < 0 || b.v > 31 || t == kernel.Byte && b.v > 7 {
			panic(undefined("a shift by more than the width"))
		}
		v = x << b.v
		if op == kernel.Shr {
			v = x >> b.v
		}
	case kernel.Less:
		return truth(x < y, a, b)
	case kernel.LessEqual:
		return truth(x <= y, a, b)
	case kernel.Equal:
		return truth(x == y, a, b)
	case kernel.NotEqual:
		return truth(x != y, a, b)
	default:
		panic("no operator of two operands")
	}
	if l == kernel.CUDA && t == kernel.Int && fit(v, t) != v && op != kernel.Shl {
		panic(undefined("a signed overflow"))
	}
	return number{fit(v, t), t, a.data || b.data}
}

func truth(b bool, of ...number) number {
	n := number{t: kernel.Int}
	if b {
		n.v = 1
	}
	for _, x := range of {
		n.data = n.data || x.data
	}
	return n
}
