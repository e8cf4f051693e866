package lower

import (
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
