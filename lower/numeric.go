package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// numeric evaluates the number types and the functions of numbers that several languages use.
func (m *machine) numeric(name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	if k := value.NumberType(name); k != nil {
		if len(a.Vals) == 0 {
			return a.Or(-1, "value", value.Int(0)), true
		}
		return m.wraps(n, k.Of(value.Numeral(a.Vals[0]))), true
	}
	switch name {
	case "range", "range_constexpr", "range_dynamic":
		return value.RangeOf(a), true
	case "int":
		if len(a.Vals) == 0 {
			return value.Int(0), true
		}
		return value.ToInteger(a.Arg(0)), true
	case "bool":
		if len(a.Vals) == 0 {
			return value.Int(0), true
		}
		return m.toBool(a.Arg(0), n), true
	case "float":
		return value.ToFloat(a.Arg(0)), true
	case "const_expr", "Constexpr", "as_numeric", "make_warp_uniform", "long":
		if len(a.Vals) == 0 {
			return value.Int(0), true
		}
		return a.Arg(0), true
	case "len":
		return m.length(a.Arg(0), n), true
	case "min", "max":
		return m.extreme(name, a, n), true
	case "ceil_div", "cdiv", "ceildiv":
		if len(a.Vals) == 2 {
			b := value.Numeral(a.Vals[1])
			return value.Binary("//", value.Binary("-", value.Binary("+", value.Numeral(a.Vals[0]), b), value.Int(1)), b), true
		}
	case "abs":
		return value.Absolute(value.Whole(a.Arg(0))), true
	}
	return nil, false
}

// elementType is the element type of a tensor, or the value type of a pointer, that only the launch gives. Its width
// decides sizes and with them how many stages fit, so one is assumed; which type it is stays open, as host sides check
// types in many ways.
func (m *machine) elementType(of, attribute string) value.Value {
	if t := m.typeOf(of); t != nil {
		return t
	}
	m.in.assumed[of+attribute+" is 16 bits wide"] = true
	return value.Atom(of + attribute)
}

// typeOf is the element type that a driver gave a tensor, or the pointer to its first element; nil where none did.
func (m *machine) typeOf(of string) value.Value {
	return m.in.types[strings.TrimSuffix(of, ".iterator")]
}

// numberTypeOf is the number type that a tensor's unknown element type is taken for where an instruction's operands are of
// it: instructions on 16-bit numbers synchronize alike, and a kernel that spells one out asks which it is.
func (m *machine) numberTypeOf(v value.Value) value.Value {
	s, ok := v.(value.Symbol)
	if !ok || value.BitsOf(s) == 0 {
		return v
	}
	m.in.assumed[s.Expr.String()+" is Float16 where a multiplication's type is asked for"] = true
	return value.Path("cutlass.Float16")
}
