package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Constants of C++ have the names of the namespaces and classes that they stand in: those of namespaces, static ones of classes, and
// enumerators, which those around an unscoped enumeration see, too. A name is looked for from the innermost scope around the place
// where it is used outwards (C++17 [basic.lookup.unqual], [basic.lookup.qual]).

// cppConstants are the constants of a file by their full names.
type cppConstants struct {
	of map[string]*cppConstant
	// scopes are in how many namespaces a name is declared.
	scopes map[string]int
	// classes are how many classes have a name, specialisations of a template among them.
	classes map[string]int
	// derived are the classes that have bases, by their full names.
	derived map[string]*program.Class
}

// cppConstant is a declaration, the class that it is a member of, and the scope in which its value is looked up.
type cppConstant struct {
	decl  *program.Assign
	class *program.Class
	scope string
}

func constantsOf(f *program.File) cppConstants {
	out := cppConstants{map[string]*cppConstant{}, map[string]int{}, map[string]int{}, map[string]*program.Class{}}

	return out

}

func fullName(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "::" + name
}

// constantOf is what a name of C++ stands for that is that of a constant. l is the variable of that name, nil where there is none.
func (m *machine) constantOf(name string, l location, s *scope) (value, bool) {

	return nil, false

}

// constantValue evaluates a constant in a scope. Those of a class that has parameters, or specialisations, are known by its arguments only.
func (m *machine) constantValue(c *cppConstant, s *scope) value {
	if c.class != nil && s == m.globals && (len(c.class.Template) > 0 || m.mod.constants.classes[c.class.Name] > 1) {
		return data{}
	}
	if m.depth++; m.depth > maxDepth {
		m.stop(c.decl, "constants nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	inner := newScope(s, true)
	inner.around = c.scope
	return m.declares(c.decl.Type, inner).of(m.evalTyped(c.decl.Value, inner))
}

// memberConstant is C::name for a class, of its own or of a base.
func (m *machine) memberConstant(c *class, name string, depth int) (value, bool) {
	defer m.enter(c.mod)()
	if k := m.mod.constants.of[fullName(c.decl.Qualified, name)]; k != nil {
		inner := newScope(c.scope(m), true)
		inner.class = c
		return m.constantValue(k, inner), true
	}
	for _, b := range c.decl.Bases {
		if up, ok := m.eval(b, c.scope(m)).(*class); ok && depth < maxDepth {
			if v, ok := m.memberConstant(up, name, depth+1); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// classWritten is the class that is written as name, with arguments where it is a template. It is the place's own where it stands for
// one under a name of the place: a parameter of a template, or an alias.
func (m *machine) classWritten(name string, s *scope) (c *class, own bool) {
	head, args, template := strings.Cut(strings.TrimSuffix(name, ">"), "<")
	l, ok := s.lookup(strings.TrimSpace(head))
	if !ok {
		return nil, false
	}

	return nil, false

}

// eachOf are the values of template arguments; those of a pack that is not known are none.
func (m *machine) eachOf(args []program.Expr, s *scope) []value {
	if all, ok := m.elements(args, s).(*sequence); ok {
		return all.elems
	}
	return nil
}

// instantiated is a class template with the arguments that a scope binds.
func (m *machine) instantiated(c *class, s *scope) *class {
	var args []string
	for _, p := range c.decl.Template {
		args = append(args, canonical(s.vars[p.Name].get()))
	}
	return &class{decl: c.decl, mod: c.mod, env: s, args: "<" + strings.Join(args, ", ") + ">"}
}

// cutLast cuts a qualified name at its last :: outside of template arguments.
func cutLast(name string) (scope, last string, qualified bool) {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch name[i] {
		case '>':
			depth++
		case '<':
			depth--
		case ':':
			if depth == 0 && name[i-1] == ':' {
				return name[:i-1], name[i+1:], true
			}
		}
	}
	return "", name, false
}

// within is the full name of the innermost function, class or namespace around a place.
func (s *scope) within() string {
	for ; s != nil; s = s.parent {
		if s.around != "" {
			return s.around
		}
	}
	return ""
}

// inClass is the class of C++ whose constants are evaluated.
func (s *scope) inClass() *class {
	for ; s != nil; s = s.parent {
		if s.class != nil {
			return s.class
		}
	}
	return nil
}
