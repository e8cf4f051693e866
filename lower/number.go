package lower

import (
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Float is a known floating-point number: host code computes stage counts and tile sizes with these.
type Float float64

// TrueDivision is Python's "/": between integers it gives a float, where C's gives an integer.
const TrueDivision = "true/"

// operator is the operator a program of the running file means.
func (m *machine) operator(op string) string {
	if op == "/" {
		return TrueDivision
	}
	return op
}

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

// toBool is bool(v), without asking for values of unknowns.
func (m *machine) toBool(v Value, n program.Node) Value {
	switch x := v.(type) {
	case Lanes:
		return TruthValue(x)
	case Int:
		return Bool(x != 0)
	case Float, Text, None, *Sequence, *Mapping:
		return Bool(m.truth(x, n))
	case *Object, *Closure, *Class, *EnumMember:
		return Bool(m.truth(x, n))
	}
	return v
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
