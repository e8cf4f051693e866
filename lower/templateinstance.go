package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// templateInstance tells the instances of a function template apart: each has static variables, and shared memory, of its own (C++17
// [temp.fct]). It is empty where an argument is not known to be another than that of some other instance: one that is deduced, or a type
// that may have several names.
func (m *machine) templateInstance(fn *program.Function, s *scope) string {
	var out []string
	for _, p := range fn.Template {
		switch v := untyped(s.vars[p.Name].get()).(type) {
		case integer:
			out = append(out, canonical(v))
		case path:
			d := m.declares(string(v), m.globals)
			if d == nil || !d.t.Known() {
				return ""
			}
			out = append(out, fmt.Sprint(d.t))
		default:
			return ""
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// ofInstance notes the shared memory of an instance of a function template. Where one of several instances is not known, it may be
// any of the others.
func (m *machine) ofInstance(b *block, instance string, st *program.Assign) {
	of := m.in.instances[st]
	if of == nil {
		of = map[string]*block{}
		m.in.instances[st] = of
	}
	if of[instance] = b; len(of) < 2 || of[""] == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if m.in.untracked(of[key].name, "in a function template of which instances are not told apart"); of[key].mbarrier {
			m.noteOpaque(st.Span, "mbarriers in a function template of which instances are not told apart", true)
		}
	}
}

// instantiation is the instance of the function template around a place.
func (s *scope) instantiation() string {
	for ; s != nil; s = s.parent {
		if s.around != "" {
			return s.instance
		}
	}
	return ""
}
