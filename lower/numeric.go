package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// numeric evaluates the number types and the functions of numbers that several languages use.
func (m *machine) numeric(name string, a *Arguments, n program.Node) (Value, bool) {
	if k := NumberType(name); k != nil {
		if len(a.Vals) == 0 {
			return a.Or(-1, "value", Int(0)), true
		}
		return m.wraps(n, k.Of(Numeral(a.Vals[0]))), true
	}
	switch name {
	case "range", "range_constexpr", "range_dynamic":
		return RangeOf(a), true
	case "int":
		if len(a.Vals) == 0 {
			return Int(0), true
		}
		return ToInteger(a.Arg(0)), true
	case "bool":
		if len(a.Vals) == 0 {
			return Int(0), true
		}
		return m.toBool(a.Arg(0), n), true
	case "float":
		return ToFloat(a.Arg(0)), true
	case "const_expr", "Constexpr", "as_numeric", "make_warp_uniform", "long":
		if len(a.Vals) == 0 {
			return Int(0), true
		}
		return a.Arg(0), true
	case "len":
		return m.length(a.Arg(0), n), true
	case "min", "max":
		return m.extreme(name, a, n), true
	case "ceil_div", "cdiv", "ceildiv":
		if len(a.Vals) == 2 {
			b := Numeral(a.Vals[1])
			return Binary("//", Binary("-", Binary("+", Numeral(a.Vals[0]), b), Int(1)), b), true
		}
	case "abs":
		return Absolute(Whole(a.Arg(0))), true
	}
	return nil, false
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
