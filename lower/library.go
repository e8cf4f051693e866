package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// libraryPath reports whether a Python name belongs to the DSL or a standard library rather than to the user's modules.
func libraryPath(name string) bool {
	top, rest, dotted := strings.Cut(name, ".")
	if !dotted && rest == "" {
		return value.PythonBuiltins[top]
	}
	switch top {
	case "cutlass", "math", "re", "typing", "functools", "operator", "itertools", "enum", "dataclasses", "torch", "numpy", "cuda", "collections", "inspect", "os", "sys":
		return true
	}
	return value.PythonBuiltins[top]
}

// importStmt binds what an import statement names.
func (m *machine) importStmt(st *program.Import, s *value.Scope) {
	if st.Name != "*" {
		s.Vars[boundName(st)] = &importCell{l: m.in.low, mod: m.mod, im: st}
		return
	}
	src := m.in.low.find(m.mod, st.From)
	if src == nil || src == m.mod {
		return
	}
	m.in.low.ready(src)
	for name, loc := range src.Globals.Vars {
		if !strings.HasPrefix(name, "_") {
			s.Vars[name] = loc
		}
	}
}
