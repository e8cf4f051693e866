package value

import (
	"math"
	"strconv"
	"strings"

	ints "github.com/fencepost-dev/fencepost/integer"
)

// NumberKind is a number type of the DSL or of PTX.
type NumberKind struct {
	Bits    int64
	Float   bool
	Integer bool
	Number  ints.Type // of integers of 8 to 64 bits
}

// number types by the names the languages use. Names with an upper-case first letter are the DSL's.
var numberKinds = func() map[string]*NumberKind {
	out := map[string]*NumberKind{}
	add := func(bits int64, isFloat bool, names string) {
		for name := range Words(names) {
			out[name] = &NumberKind{Bits: bits, Float: isFloat, Integer: !isFloat}
		}
	}
	add(1, false, "Boolean")
	add(4, false, "Int4 Uint4")
	add(128, false, "Int128 Uint128")
	for name, t := range map[string]ints.Type{"Int8": ints.Int8, "Uint8": ints.Uint8, "Int16": ints.Int16, "Uint16": ints.Uint16,
		"Int32": ints.Int32, "Uint32": ints.Uint32, "Int64": ints.Int64, "Uint64": ints.Uint64} {
		out[name] = &NumberKind{Bits: int64(t.Bits), Integer: true, Number: t}
	}
	add(4, true, "Float4E2M1FN")
	add(6, true, "Float6E3M2FN Float6E2M3FN")
	add(8, true, "Float8E4M3FN Float8E5M2 Float8E4M3B11FNUZ Float8E4M3 Float8E8M0FNU Float8E3M4 Float8E4M3FNUZ Float8E5M2FNUZ")
	add(16, true, "Float16 BFloat16")
	add(32, true, "Float32 TFloat32")
	add(64, true, "Float64")
	return out
}()

// NumberType is the DSL's number type of that name, or nil.
func NumberType(name string) *NumberKind { return numberKinds[name] }

// typeMember is an attribute of one of the DSL's number types.
func (k *NumberKind) Member(name string) (Value, bool) {
	switch name {
	case "width":
		return Int(k.Bits), true
	case "is_float":
		return Bool(k.Float), true
	case "is_integer":
		return Bool(k.Integer), true
	}
	return nil, false
}

// SameKind is T.is_same_kind(U) for number types: both floating-point or both integer.
func SameKind(name string, a *Arguments) (Value, bool) {
	t, method, _ := strings.Cut(name[strings.LastIndexByte(strings.TrimSuffix(name, ".is_same_kind"), '.')+1:], ".")
	other, ok := a.Arg(0).(Path)
	if !ok || method != "is_same_kind" {
		return nil, false
	}
	x, y := NumberType(t), NumberType(LastWord(string(other)))
	if x == nil || y == nil {
		return nil, false
	}
	return Bool(x.Float == y.Float), true
}

// Float is a known floating-point number: host code computes stage counts and tile sizes with these.
type Float float64

// TrueDivision is Python's "/": between integers it gives a float, where C's gives an integer.
const TrueDivision = "true/"

// floatArith applies an operator where one side is a float.
func floatArith(op string, x, y float64) Value {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "/", TrueDivision:
		if y != 0 {
			return Float(x / y)
		}
	case "//":
		if y != 0 {
			return Float(math.Floor(x / y))
		}
	case "%":
		if y != 0 {
			return Float(x - y*math.Floor(x/y))
		}
	case "**":
		return Float(math.Pow(x, y))
	case "==", "is":
		return Bool(x == y)
	case "!=", "is not":
		return Bool(x != y)
	case "<":
		return Bool(x < y)
	case "<=":
		return Bool(x <= y)
	case ">":
		return Bool(x > y)
	case ">=":
		return Bool(x >= y)
	case "&&":
		return Bool(x != 0 && y != 0)
	case "||":
		return Bool(x != 0 || y != 0)
	case "min":
		return Float(min(x, y))
	case "max":
		return Float(max(x, y))
	}
	return Data{}
}

// AsFloat is a known number as a float.
func AsFloat(v Value) (float64, bool) {
	switch v := Whole(v).(type) {
	case Int:
		return float64(v), true
	case Float:
		return float64(v), true
	}
	return 0, false
}

// FloatLiteral is the number that a literal spells.
func FloatLiteral(s string) Value {
	if x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64); err == nil {
		return Float(x)
	}
	return Data{}
}

// Truncated is a float as an integer, where it fits.
func Truncated(x float64) Value {
	if math.IsNaN(x) || math.Abs(x) >= 1<<62 {
		return Data{}
	}
	return Int(int64(x))
}

// ToInteger is int(v), also for the DSL's integer types.
func ToInteger(v Value) Value {
	switch x := Whole(v).(type) {
	case Float:
		return Truncated(float64(x))
	case Text:
		if n, err := strconv.ParseInt(strings.TrimSpace(string(x)), 0, 64); err == nil {
			return Int(n)
		}
		return Data{}
	default:
		return x
	}
}

// ToFloat is float(v).
func ToFloat(v Value) Value {
	if x, ok := AsFloat(v); ok {
		return Float(x)
	}
	if t, ok := v.(Text); ok {
		return FloatLiteral(string(t))
	}
	return Data{}
}

// MathFunction is a function of Python's math module.
func MathFunction(name string, a *Arguments) (Value, bool) {
	x, ok := AsFloat(a.Arg(0))
	if !ok {
		return nil, false
	}
	y, two := AsFloat(a.Arg(1))
	switch name {
	case "ceil":
		return Truncated(math.Ceil(x)), true
	case "floor":
		return Truncated(math.Floor(x)), true
	case "trunc":
		return Truncated(x), true
	case "sqrt":
		return Float(math.Sqrt(x)), x >= 0
	case "isqrt":
		return Truncated(math.Floor(math.Sqrt(x))), x >= 0
	case "log2":
		return Float(math.Log2(x)), x > 0
	case "log10":
		return Float(math.Log10(x)), x > 0
	case "log":
		if two {
			return Float(math.Log(x) / math.Log(y)), x > 0 && y > 0
		}
		return Float(math.Log(x)), x > 0
	case "exp":
		return Float(math.Exp(x)), true
	case "pow":
		return Float(math.Pow(x, y)), two
	case "fabs":
		return Float(math.Abs(x)), true
	case "gcd", "lcm":
		return gcdOrLcm(name, a)
	}
	return nil, false
}

func gcdOrLcm(name string, a *Arguments) (Value, bool) {
	out := Int(0)
	for i, v := range a.Vals {
		n, ok := Whole(v).(Int)
		if !ok {
			return nil, false
		}
		n = max(n, -n)
		if i == 0 {
			out = n
			continue
		}
		g, r := out, n
		for r != 0 {
			g, r = r, g%r
		}
		if name == "lcm" && g != 0 {
			g = out / g * n
		}
		out = g
	}
	return out, true
}

// Rounded is round(x, digits): to even on ties, as in Python.
func Rounded(a *Arguments) Value {
	x, ok := AsFloat(a.Arg(0))
	if !ok {
		return a.Arg(0)
	}
	digits, ok := a.Or(1, "ndigits", None{}).(Int)
	if !ok || digits == 0 {
		return Truncated(math.RoundToEven(x))
	}
	scale := math.Pow10(int(max(-18, min(digits, 18))))
	return Float(math.RoundToEven(x*scale) / scale)
}

// scaleFactors is the operator of a type of which it is only known that it is one of scale factors: these have 8 bits (PTX ISA 9.7.16.3).
const scaleFactors = "scale factors of "

// OfScales is an element type of scale factors: where it is not known which, it has their width.
func OfScales(dtype Value) Value {
	if s, ok := dtype.(Symbol); ok && WidthAssumed(dtype) {
		return Symbol{Expr: &Expr{Op: scaleFactors, X: s.Expr, Size: 1}}
	}
	return dtype
}

// WidthAssumed reports whether the width of an element type that nothing gives was assumed.
func WidthAssumed(dtype Value) bool {
	s, ok := dtype.(Symbol)
	return ok && s.Expr.Op == ""
}

// BitsOf is the width of an element type, 0 where it is not known.
func BitsOf(dtype Value) int64 {
	if s, ok := dtype.(Symbol); ok && s.Expr.Op == scaleFactors {
		return 8
	}
	if s, ok := dtype.(Symbol); ok && s.Expr.Op == "" && (strings.HasSuffix(s.Expr.Atom, ElementType) || strings.HasSuffix(s.Expr.Atom, ValueType)) {
		return 16
	}
	p, ok := dtype.(Path)
	if !ok {
		return 0
	}
	name := LastWord(string(p))
	if k := NumberType(name); k != nil && k.Bits > 1 {
		return k.Bits
	}
	return 8 * max(Sizes[name], int64(Bool(name == "Boolean")))
}

// Of is a value as one of the DSL's number types.
func (k *NumberKind) Of(v Value) Value {
	switch x := v.(type) {
	case Float:
		if k.Integer {
			return k.Of(Truncated(float64(x)))
		}
	case Int:
		if k.Bits == 1 {
			return Bool(x != 0)
		}
		if k.Float {
			return Float(x)
		}
	case Data:
		return x.narrowed(k.Bits, k.Integer)
	}
	if k.Number.Known() && IsNumber(v) {
		return Typed(extended(Untyped(v), typeOfNumber(v), k.Number), k.Number)
	}
	return Untyped(v)
}

// Absolute is abs(v).
func Absolute(v Value) Value {
	switch x := v.(type) {
	case Int:
		return max(x, -x)
	case Float:
		return max(x, -x)
	}
	return Data{}
}

// Sizes are the bytes of the number types, by the names that the DSL, Python and PTX use.
var Sizes = map[string]int64{
	"bool": 1, "Int8": 1, "Uint8": 1, "Float8E4M3FN": 1, "Float8E5M2": 1,
	"half": 2, "short": 2, "Float16": 2, "BFloat16": 2, "Int16": 2,
	"int": 4, "float": 4, "Int32": 4, "Uint32": 4, "Float32": 4,
	"double": 8, "long": 8, "Int64": 8, "Uint64": 8, "Float64": 8,
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8,
}

// CanonicalType is one spelling of an element type.
func CanonicalType(dtype Value) string {
	if dtype == nil {
		return "elements"
	}
	return Canonical(dtype)
}

// DividedBy is x % y of the DSL while the kernel runs. A known number may be one of Python all the same, whose remainder is
// another where one of the two is negative.
func DividedBy(x, y Value) Value {
	least, _ := RangeOfNumber(Untyped(x))
	other, _ := RangeOfNumber(Untyped(y))
	_, known := x.(Int)
	_, also := y.(Int)
	switch {
	case least >= 0 && other >= 0:
		return Binary("%", x, y)
	case !known || !also:
		return NumberArith("%", x, y)
	}
	if v := Binary("%", x, y); v == Binary(Remainder, x, y) {
		return v
	}
	return Data{}
}
