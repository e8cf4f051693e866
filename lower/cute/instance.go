package cute

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// UnknownInstance is the answer for a class that only an unknown can be an instance of.
func UnknownInstance(v, of value.Value) value.Value {
	switch v := v.(type) {
	case value.Data:
		return v
	case value.Symbol:
		if v.Expr.Op == "" && !strings.ContainsAny(v.Expr.Atom, "([") {
			return value.Atom("isinstance(" + v.Expr.Atom + ", " + value.Canonical(of) + ")")
		}
	case value.Path:
		return value.Data{}
	}
	return value.Int(0)
}

// SubclassNamed is issubclass for one of the DSL's number types.
func SubclassNamed(p value.Path, of value.Value) value.Value {
	k := value.NumberType(value.LastWord(string(p)))
	switch c := of.(type) {
	case *value.Sequence:
		var out value.Value = value.Int(0)
		for _, e := range c.Elems {
			out = value.Binary("||", out, SubclassNamed(p, e))
		}
		return out
	case value.Path:
		if k == nil {
			return value.Data{}
		}
		switch short := value.LastWord(string(c)); short {
		case "Numeric", "object":
			return value.Int(1)
		case "Integer":
			return value.Bool(k.Integer)
		case "Float":
			return value.Bool(k.Float)
		default:
			return value.Bool(short == value.LastWord(string(p)))
		}
	}
	return value.Data{}
}
