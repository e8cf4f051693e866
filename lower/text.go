package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// formatted is an f-string without format specifications.
func (m *machine) formatted(e *program.OpaqueExpr, s *value.Scope) value.Value {
	var b strings.Builder
	known := e.Why == "f-string"
	for _, p := range e.Parts {
		t, ok := value.Spelled(m.settle(m.eval(p, s)))
		known = known && ok && b.Len() < value.MaxElems
		b.WriteString(string(t))
	}
	if !known {
		return value.Data{}
	}
	return value.Text(b.String())
}
