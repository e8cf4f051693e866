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
func (m *machine) templateInstance(f *closure, a *arguments, s *scope) instantiation {
	var out []string
	called := instantiation{"<of a call>", true}
	if a.file != nil {
		at := a.file.Source.Position(a.node.Where().Start)
		called.name = fmt.Sprintf("<of the call at %d:%d%s>", at.Line, at.Column, a.from)
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
			name := plainType(string(v))
			if d := m.declares(string(v), m.globals); d != nil && d.t.Known() {
				name = fmt.Sprint(d.t)
			} else if name != "float" && name != "double" { // others may be names of one type, as half and __half
				return called
			}
			out = append(out, name)
		default:
			return called
		}
	}
	if len(out) == 0 {
		return instantiation{}
	}
	return instantiation{name: "<" + strings.Join(out, ", ") + ">"}
}

// instantiation is an instance of a function template: its arguments, or, where these are not known, the call that it is of.
type instantiation struct {
	name   string
	byCall bool
}

// ofInstance notes the shared memory of an instance of a function template. Where one of several instances is not known, it may be
// any of the others.
func (m *machine) ofInstance(b *block, instance instantiation, st *program.Assign) {
	of := m.in.instances[st]
	if of == nil {
		of = map[instantiation]*block{}
		m.in.instances[st] = of
	}
	of[instance] = b
	keys := slices.SortedFunc(maps.Keys(of), func(a, b instantiation) int { return strings.Compare(a.name, b.name) })
	if len(of) < 2 || !slices.ContainsFunc(keys, func(key instantiation) bool { return key.byCall }) {
		return
	}
	for _, key := range keys {
		if m.in.untracked(of[key].name, "in a function template of which instances are not told apart"); of[key].mbarrier {
			m.noteOpaque(st.Span, "mbarriers in a function template of which instances are not told apart", true)
		}
	}
}

// instantiation is the instance of the function template around a place.
func (s *scope) instantiation() instantiation {
	for ; s != nil; s = s.parent {
		if s.around != "" {
			return s.instance
		}
	}
	return instantiation{}
}
