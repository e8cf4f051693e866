package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// numeric evaluates the number types and the functions of numbers that several languages use.
func (m *machine) numeric(name string, a *arguments, n program.Node) (value, bool) {
	if k := numberType(name); k != nil {
		if len(a.vals) == 0 {
			return a.or(-1, "value", integer(0)), true
		}
		return m.wraps(n, k.of(numeral(a.vals[0]))), true
	}
	switch name {
	case "range", "range_constexpr", "range_dynamic":
		return rangeOf(a), true
	case "int":
		if len(a.vals) == 0 {
			return integer(0), true
		}
		return toInteger(a.arg(0)), true
	case "bool":
		if len(a.vals) == 0 {
			return integer(0), true
		}
		return m.toBool(a.arg(0), n), true
	case "float":
		return toFloat(a.arg(0)), true
	case "const_expr", "Constexpr", "as_numeric", "make_warp_uniform", "long":
		if len(a.vals) == 0 {
			return integer(0), true
		}
		return a.arg(0), true
	case "len":
		return m.length(a.arg(0), n), true
	case "min", "max":
		return m.extreme(name, a, n), true
	case "ceil_div", "cdiv", "ceildiv":
		if len(a.vals) == 2 {
			b := numeral(a.vals[1])
			return binary("//", binary("-", binary("+", numeral(a.vals[0]), b), integer(1)), b), true
		}
	case "abs":
		return absolute(whole(a.arg(0))), true
	}
	return nil, false
}

// of is a value as one of the DSL's number types.
func (k *numberKind) of(v value) value {
	switch x := v.(type) {
	case float:
		if k.integer {
			return k.of(truncated(float64(x)))
		}
	case integer:
		if k.bits == 1 {
			return boolean(x != 0)
		}
		if k.float {
			return float(x)
		}
	}
	if k.number.Known() && isNumber(v) {
		return typed(extended(untyped(v), typeOfNumber(v), k.number), k.number)
	}
	return untyped(v)
}

// absolute is abs(v).
func absolute(v value) value {
	switch x := v.(type) {
	case integer:
		return max(x, -x)
	case float:
		return max(x, -x)
	}
	return data{}
}

// sizes are the bytes of the number types, by the names that the DSL, Python and PTX use.
var sizes = map[string]int64{
	"bool": 1, "Int8": 1, "Uint8": 1, "Float8E4M3FN": 1, "Float8E5M2": 1,
	"half": 2, "short": 2, "Float16": 2, "BFloat16": 2, "Int16": 2,
	"int": 4, "float": 4, "Int32": 4, "Uint32": 4, "Float32": 4,
	"double": 8, "long": 8, "Int64": 8, "Uint64": 8, "Float64": 8,
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8,
}
