// Package integer is arithmetic on integers that have a width and a sign, as C++, PTX and MLIR have them.
//
// A number of a type is kept in an int64: sign-extended where the type is signed, zero-extended where it is not, and for 64
// bits without a sign as the int64 of the same bits. What a language leaves undefined is not a number here: such operations
// say so.
package integer

import "math/bits"

// Type is a width in bits and whether there is a sign. The zero Type is that of a number whose type is not known.
type Type struct {
	Bits   uint8
	Signed bool
}

// The types of C++ in the data model of CUDA (LP64), by their widths. Bool is C++'s bool and MLIR's i1.
var (
	Bool   = Type{Bits: 1}
	Int8   = Type{8, true}
	Uint8  = Type{8, false}
	Int16  = Type{16, true}
	Uint16 = Type{16, false}
	Int32  = Type{32, true}
	Uint32 = Type{32, false}
	Int64  = Type{64, true}
	Uint64 = Type{64, false}
)

func (t Type) String() string {
	if t.Bits <= 1 {
		return [2]string{"?", "bool"}[t.Bits]
	}
	name := map[uint8]string{8: "8", 16: "16", 32: "32", 64: "64"}[t.Bits]
	if t.Signed {
		return "s" + name
	}
	return "u" + name
}

// Known reports a type that is known.
func (t Type) Known() bool { return t.Bits > 0 }

// Wrap is the number of the type that is congruent to n modulo two to the width; of bool, whether n is not zero (C++17
// [conv.integral], [conv.bool]). It is also the conversion from any other type's number.
func (t Type) Wrap(n int64) int64 {
	switch {
	case t.Bits == 1:
		return truth(n != 0)
	case t.Bits == 0 || t.Bits >= 64:
		return n
	case t.Signed:
		return n << (64 - t.Bits) >> (64 - t.Bits)
	}
	return int64(uint64(n) << (64 - t.Bits) >> (64 - t.Bits))
}

// Least and Most bound the type's numbers; those of 64 bits without a sign do not fit in an int64, so that Most is the most
// that does.
func (t Type) Least() int64 {
	if !t.Signed || t.Bits <= 1 {
		return 0
	}
	return -1 << (t.Bits - 1)
}

func (t Type) Most() int64 {
	switch {
	case t.Bits <= 1:
		return 1
	case t.Bits >= 64:
		return 1<<63 - 1
	case t.Signed:
		return 1<<(t.Bits-1) - 1
	}
	return 1<<t.Bits - 1
}

// Holds reports whether an integer is one of the type's numbers.
func (t Type) Holds(n int64) bool { return t.Least() <= n && n <= t.Most() }

// Less compares two numbers of the type.
func (t Type) Less(x, y int64) bool {
	if !t.Signed {
		return uint64(x) < uint64(y)
	}
	return x < y
}

func truth(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// Modular applies an operator to numbers of the type as machines, PTX and MLIR do: sums, differences, products and left
// shifts wrap. It is false where the result is not defined: a division by zero, that of the least number by -1, and shifts by
// the width or more.
func (t Type) Modular(op string, x, y int64) (int64, bool) {
	switch op {
	case "+":
		return t.Wrap(x + y), true
	case "-":
		return t.Wrap(x - y), true
	case "*":
		return t.Wrap(x * y), true
	case "/", "%":
		return t.divide(op, x, y)
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "<<", ">>":
		if uint64(y) >= uint64(t.Bits) {
			return 0, false
		}
		return t.shift(op, x, uint(y)), true
	case "min":
		if t.Less(y, x) {
			x = y
		}
		return x, true
	case "max":
		if t.Less(x, y) {
			x = y
		}
		return x, true
	}
	return t.compare(op, x, y)
}

func (t Type) compare(op string, x, y int64) (int64, bool) {
	switch op {
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(t.Less(x, y)), true
	case "<=":
		return truth(!t.Less(y, x)), true
	case ">":
		return truth(t.Less(y, x)), true
	case ">=":
		return truth(!t.Less(x, y)), true
	}
	return 0, false
}

// divide rounds towards zero; a remainder has the sign of the dividend.
func (t Type) divide(op string, x, y int64) (int64, bool) {
	switch {
	case y == 0, t.Signed && x == t.Least() && y == -1:
		return 0, false
	case !t.Signed && op == "/":
		return int64(uint64(x) / uint64(y)), true
	case !t.Signed:
		return int64(uint64(x) % uint64(y)), true
	case op == "/":
		return x / y, true
	}
	return x % y, true
}

// shift is by less than the width. To the right the sign is kept.
func (t Type) shift(op string, x int64, y uint) int64 {
	switch {
	case op == "<<":
		return t.Wrap(x << y)
	case t.Signed:
		return x >> y
	}
	return int64(uint64(x) >> y)
}

// Clamped is a shift of PTX: by more than the width is as by the width (PTX ISA 9.7.8.8 and 9.7.8.9). The amount is of 32
// bits without a sign, whatever the type.
func (t Type) Clamped(op string, x, y int64) int64 {
	n := uint(uint32(y))
	switch {
	case n < uint(t.Bits):
		return t.shift(op, x, n)
	case op == ">>" && t.Signed:
		return x >> 63
	}
	return 0
}

// Not and Neg are ~x and -x that wrap.
func (t Type) Not(x int64) int64 { return t.Wrap(^x) }
func (t Type) Neg(x int64) int64 { return t.Wrap(-x) }

// High is the upper half of a product: mul.hi (PTX ISA 9.7.1.3).
func (t Type) High(x, y int64) int64 {
	if t.Bits < 64 {
		return x * y >> t.Bits
	}
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	if t.Signed {
		if x < 0 {
			hi -= uint64(y)
		}
		if y < 0 {
			hi -= uint64(x)
		}
	}
	return int64(hi)
}
