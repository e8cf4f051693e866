package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

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
