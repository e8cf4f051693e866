package lower

import (
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// float is a known floating-point number: host code computes stage counts and tile sizes with these.
type float float64

// trueDivision is Python's "/": between integers it gives a float, where C's gives an integer.
const trueDivision = "true/"

// operator is the operator a program of the running file means.
func (m *machine) operator(op string) string {
	if op == "/" {
		return trueDivision
	}
	return op
}

// floatArith applies an operator where one side is a float.
func floatArith(op string, x, y float64) value {
	switch op {
	case "+":
		return float(x + y)
	case "-":
		return float(x - y)
	case "*":
		return float(x * y)
	case "/", trueDivision:
		if y != 0 {
			return float(x / y)
		}
	case "//":
		if y != 0 {
			return float(math.Floor(x / y))
		}
	case "%":
		if y != 0 {
			return float(x - y*math.Floor(x/y))
		}
	case "**":
		return float(math.Pow(x, y))
	case "==", "is":
		return boolean(x == y)
	case "!=", "is not":
		return boolean(x != y)
	case "<":
		return boolean(x < y)
	case "<=":
		return boolean(x <= y)
	case ">":
		return boolean(x > y)
	case ">=":
		return boolean(x >= y)
	case "&&":
		return boolean(x != 0 && y != 0)
	case "||":
		return boolean(x != 0 || y != 0)
	case "min":
		return float(min(x, y))
	case "max":
		return float(max(x, y))
	}
	return data{}
}

// asFloat is a known number as a float.
func asFloat(v value) (float64, bool) {
	switch v := whole(v).(type) {
	case integer:
		return float64(v), true
	case float:
		return float64(v), true
	}
	return 0, false
}

// floatLiteral is the number that a literal spells.
func floatLiteral(s string) value {
	if x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64); err == nil {
		return float(x)
	}
	return data{}
}

// truncated is a float as an integer, where it fits.
func truncated(x float64) value {
	if math.IsNaN(x) || math.Abs(x) >= 1<<62 {
		return data{}
	}
	return integer(int64(x))
}

// toInteger is int(v), also for the DSL's integer types.
func toInteger(v value) value {
	switch x := whole(v).(type) {
	case float:
		return truncated(float64(x))
	case text:
		if n, err := strconv.ParseInt(strings.TrimSpace(string(x)), 0, 64); err == nil {
			return integer(n)
		}
		return data{}
	default:
		return x
	}
}

// toFloat is float(v).
func toFloat(v value) value {
	if x, ok := asFloat(v); ok {
		return float(x)
	}
	if t, ok := v.(text); ok {
		return floatLiteral(string(t))
	}
	return data{}
}

// toBool is bool(v), without asking for values of unknowns.
func (m *machine) toBool(v value, n program.Node) value {
	switch x := v.(type) {
	case lanes:
		return truthValue(x)
	case integer:
		return boolean(x != 0)
	case float, text, none, *sequence, *mapping:
		return boolean(m.truth(x, n))
	case *object, *closure, *class, *enumMember:
		return boolean(m.truth(x, n))
	}
	return v
}

// mathFunction is a function of Python's math module.
func mathFunction(name string, a *arguments) (value, bool) {
	x, ok := asFloat(a.arg(0))
	if !ok {
		return nil, false
	}
	y, two := asFloat(a.arg(1))
	switch name {
	case "ceil":
		return truncated(math.Ceil(x)), true
	case "floor":
		return truncated(math.Floor(x)), true
	case "trunc":
		return truncated(x), true
	case "sqrt":
		return float(math.Sqrt(x)), x >= 0
	case "isqrt":
		return truncated(math.Floor(math.Sqrt(x))), x >= 0
	case "log2":
		return float(math.Log2(x)), x > 0
	case "log10":
		return float(math.Log10(x)), x > 0
	case "log":
		if two {
			return float(math.Log(x) / math.Log(y)), x > 0 && y > 0
		}
		return float(math.Log(x)), x > 0
	case "exp":
		return float(math.Exp(x)), true
	case "pow":
		return float(math.Pow(x, y)), two
	case "fabs":
		return float(math.Abs(x)), true
	case "gcd", "lcm":
		return gcdOrLcm(name, a)
	}
	return nil, false
}

func gcdOrLcm(name string, a *arguments) (value, bool) {
	out := integer(0)
	for i, v := range a.vals {
		n, ok := whole(v).(integer)
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

// rounded is round(x, digits): to even on ties, as in Python.
func rounded(a *arguments) value {
	x, ok := asFloat(a.arg(0))
	if !ok {
		return a.arg(0)
	}
	digits, ok := a.or(1, "ndigits", none{}).(integer)
	if !ok || digits == 0 {
		return truncated(math.RoundToEven(x))
	}
	scale := math.Pow10(int(max(-18, min(digits, 18))))
	return float(math.RoundToEven(x*scale) / scale)
}
