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
		made := m.wraps(n, k.Of(value.Numeral(a.Vals[0])))
		if made == value.Value(value.Data{}) && !m.host && value.BitsOf(value.Path("cutlass."+name)) > 1 { // a number, whatever it is
			return value.NewRegister(value.Path("cutlass."+name), false), true
		}
		return made, true
	}
	switch name {
	case "range_constexpr":
		m.unrolls(a)
		return value.RangeOf(a), true
	case "range", "range_dynamic":
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
		return value.Unrelated(a.Arg(0)), true
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

// unrolls notes the unknowns that say how often a loop is unrolled: constants of the compiled kernel, though nothing that was found
// says which.
func (m *machine) unrolls(a *value.Arguments) {
	for _, v := range a.Vals {
		if e, ok := value.AsExpr(v); ok && !m.host {
			for _, l := range value.Leaves(e, nil) {
				m.in.low.static[l.String()] = true
			}
		}
	}
}

// elementType is the element type of a tensor, or the value type of a pointer, that only the launch gives. Its width
// decides sizes and with them how many stages fit, so one is assumed; which type it is stays open, as host sides check
// types in many ways.
func (m *machine) elementType(of, attribute string) value.Value {
	if t := m.typeOf(of); t != nil {
		return t
	}
	m.in.assumed[of+attribute+" is 16 bits wide"] = inWords
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
	m.in.assumed[s.Expr.String()+" is Float16 where a multiplication's type is asked for"] = inWords
	return value.Path("cutlass.Float16")
}

// known evaluates a mixed value with the values that its unknowns have; it fails where one has none.
func (m *machine) known(v value.Value) (value.Value, bool) {
	switch v := v.(type) {
	case value.Int, value.Lanes:
		return v, true
	case value.Symbol:
		n, ok := m.peek(v.Expr)
		return value.Int(n), ok
	case value.Mixed:
		x, ok := m.known(v.X)
		if !ok || v.Y == nil {
			return value.Unary(v.Op, x), ok
		}
		if v.Op == "&&" || v.Op == "||" {
			if n, decides := value.TruthValue(x).(value.Int); decides && (n != 0) == (v.Op == "||") {
				return value.Bool(n != 0), true
			}
		}
		y, ok := m.known(v.Y)
		return value.Binary(v.Op, value.TruthOf(v.Op, x), value.TruthOf(v.Op, y)), ok
	}
	return nil, false
}

// separate evaluates a mixed value, asking for what it needs to know. What the threads alone decide is decided first.
func (m *machine) separate(v value.Value, yesNo bool) value.Value {
	switch v := v.(type) {
	case value.Symbol:
		return value.Int(m.resolve(v.Expr, yesNo))
	case value.Mixed:
		logic := v.Op == "&&" || v.Op == "||"
		x := m.separate(v.X, logic || v.Op == "!")
		if v.Y == nil {
			return value.Unary(v.Op, x)
		}
		if logic {
			if n, decides := value.TruthValue(x).(value.Int); decides && (n != 0) == (v.Op == "||") {
				return value.Bool(n != 0)
			}
			if each, differ := value.TruthValue(x).(value.Lanes); differ {
				m.splitOn(each)
			}
		}
		y := m.separate(v.Y, logic)
		return value.Binary(v.Op, value.TruthOf(v.Op, x), value.TruthOf(v.Op, y))
	}
	return v
}

// operator is the operator a program of the running file means.
func (m *machine) operator(op string) string {
	if op == "/" {
		return value.TrueDivision
	}
	return op
}

// toBool is bool(v), without asking for values of unknowns.
func (m *machine) toBool(v value.Value, n program.Node) value.Value {
	switch x := v.(type) {
	case value.Lanes:
		return value.TruthValue(x)
	case value.Int:
		return value.Bool(x != 0)
	case value.Float, value.Text, value.None, *value.Sequence, *value.Mapping:
		return value.Bool(m.truth(x, n))
	case *value.Object, *value.Closure, *value.Class, *value.EnumMember:
		return value.Bool(m.truth(x, n))
	}
	return v
}
