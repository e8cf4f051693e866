package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// templateInstance tells the instances of a function template apart: each has static variables, and shared memory, of its own (C++17
// [temp.fct]). It is empty where there is one. Where an argument is not known, as one that is deduced or a type that may have several
// names, it is the call's: a call is always of one instance, and others may be of the same.
func (m *machine) templateInstance(f *closure, a *arguments, s *scope) string {
	var out []string
	called := ofCall + ">"
	if a.file != nil {
		at := a.file.Source.Position(a.node.Where().Start)
		called = fmt.Sprintf("%s%d:%d%s>", ofCall, at.Line, at.Column, a.from)
	}
	if c := f.fn.Class; c != nil && len(c.Template) > 0 {
		o, ok := f.self.(*object)
		if !ok || o.class == nil || o.class.decl != c || o.class.args == "" {
			return called
		}
		out = append(out, o.class.args)
	}
	for _, p := range f.fn.Params {
		if slices.Contains(strings.Fields(strings.Trim(p.Type, " &*")), "auto") {
			return called
		}
	}
	for _, p := range f.fn.Template {
		switch v := untyped(s.vars[p.Name].get()).(type) {
		case integer:
			out = append(out, canonical(v))
		case path:
			d := m.declares(string(v), m.globals)
			switch name := plainType(string(v)); {
			case d != nil && d.t.Known():
				name = fmt.Sprint(d.t)
				fallthrough
			case name == "float", name == "double":
				out = append(out, name)
			default:
				return called
			}
		default:
			return called
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// ofCall begins an instance that is known by its call only.
const ofCall = "<of the call at "

// ofInstance notes the shared memory of an instance of a function template. Where one of several instances is not known, it may be
// any of the others.
func (m *machine) ofInstance(b *block, instance string, st *program.Assign) {
	of := m.in.instances[st]
	if of == nil {
		of = map[string]*block{}
		m.in.instances[st] = of
	}
	keys := slices.Sorted(maps.Keys(of))
	if of[instance] = b; len(of) < 2 || !strings.HasPrefix(instance, ofCall) && !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, ofCall) }) {
		return
	}
	for _, key := range append(keys, instance) {
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
