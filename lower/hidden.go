package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Which member a name means is decided by the class that an expression has, not by that of the object (C++17
// [class.member.lookup]). Evaluation knows the object's class only: where an object is used as one of a base, a name that both
// classes give to something stops it.

// hidden are the names of members that more than one class of an object's defines.
func (m *machine) hidden(c *class) map[string]bool {
	seen, out := map[string]bool{}, map[string]bool{}
	for _, d := range m.lineage(c) {
		own := map[string]bool{}
		for _, f := range d.Methods {
			if f.Name != d.Name && f.Outer == nil && !f.Destructor {
				own[f.Name] = true
			}
		}
		for _, f := range d.Fields {
			for _, t := range f.Targets {
				if id, ok := t.(*program.Name); ok {
					own[id.Ident] = true
				}
			}
		}
		for name := range own {
			out[name] = out[name] || seen[name]
			seen[name] = true
		}
	}
	for name, twice := range out {
		if !twice {
			delete(out, name)
		}
	}
	return out
}

// usedAs stops where an object is named as one of a class that its own derives from and hides members of.
func (m *machine) usedAs(typ string, v value, n program.Node, s *scope) {

	return

}

// addressed stops where a pointer is made to an object whose class hides members of its bases: it may become one to a base.
func (m *machine) addressed(l location, n program.Node) value {

	return l
}

// inherited stops where a member function of a base names a member that the object's class hides.
func (m *machine) inherited(f *closure, n program.Node) {
	o, ok := f.self.(*object)
	if !ok || m.host || o.class == nil || f.fn == nil || f.fn.Class == nil || f.fn.Class == o.class.decl || len(o.class.decl.Bases) == 0 {
		return
	}
	hidden := m.hidden(o.class)
	if len(hidden) == 0 {
		return
	}
	program.Walk(&program.Block{Body: f.fn.Body}, func(k program.Node) bool {
		name := ""
		switch e := k.(type) {
		case *program.Name:
			name = e.Ident
		case *program.Attr:
			name = e.Name
		}
		if hidden[name] {
			m.stop(n, "%s of %s names %s, which %s defines, too", clip(f.fn.Name), clip(f.fn.Class.Name), clip(name), clip(o.class.decl.Name))
		}
		return true
	})
}
