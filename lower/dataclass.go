package lower

import "github.com/fencepost-dev/fencepost/program"

// field is a field of a dataclass or a C++ aggregate, and the class that gives its default.
type field struct {
	name string
	of   classRef
	decl *program.Assign
}

// fieldsOf lists the fields of a class in the order its constructor takes them: those of its bases first; one that is
// declared again keeps its place.
func (m *machine) fieldsOf(c classRef, depth int) []field {
	var out []field
	bases := m.bases(c, depth)
	for i := len(bases) - 1; i >= 0; i-- {
		for _, f := range m.fieldsOf(bases[i], depth+1) {
			out = declared(out, f)
		}
	}
	for _, f := range c.class.Fields {
		for _, t := range f.Targets {
			if id, ok := t.(*program.Name); ok {
				out = declared(out, field{id.Ident, c, f})
			}
		}
	}
	return out
}

func declared(list []field, f field) []field {
	for i := range list {
		if list[i].name == f.name {
			list[i] = f
			return list
		}
	}
	return append(list, f)
}

// property reports whether reading the attribute calls the method.
func property(fn *program.Function) bool {
	for _, a := range fn.Attributes {
		if n, ok := a.(*program.Name); ok && (n.Ident == "property" || n.Ident == "cached_property") {
			return true
		}
	}
	return false
}
