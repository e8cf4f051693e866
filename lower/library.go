package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// libraryPath reports whether a Python name belongs to the DSL or a standard library rather than to the user's modules.
func libraryPath(name string) bool {
	top, rest, dotted := strings.Cut(name, ".")
	if !dotted && rest == "" {
		return PythonBuiltins[top]
	}
	switch top {
	case "cutlass", "math", "re", "typing", "functools", "operator", "itertools", "enum", "dataclasses", "torch", "numpy", "cuda", "collections", "inspect", "os", "sys":
		return true
	}
	return PythonBuiltins[top]
}

// PythonBuiltins are the names that Python binds itself.
var PythonBuiltins = func() map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(`abs all any bool dict divmod enumerate filter float getattr hasattr hash hex id int isinstance issubclass iter len list
		map max min next object pow print range repr reversed round set setattr slice sorted str sum super tuple type vars zip Ellipsis assert`) {
		out[n] = true
	}
	return out
}()

// importStmt binds what an import statement names.
func (m *machine) importStmt(st *program.Import, s *Scope) {
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
