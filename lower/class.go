package lower

import (
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// classOf is the class value of a declaration of the running module, for those who only have the tree.
func (m *machine) classNamed(decl *program.Class) *value.Class {
	if l, ok := m.globals.Vars[decl.Name]; ok {
		if c, ok := l.Get().(*value.Class); ok && c.Decl == decl {
			return c
		}
	}
	return m.defineClass(decl, m.globals)
}

// scopeOf is where names in a class's own statements are looked up.
func (m *machine) scopeOf(c *value.Class) *value.Scope {
	switch {
	case c.Env != nil:
		return c.Env
	case c.Mod == nil || c.Mod.File == m.file: // the machine's own copy of its file's globals
		return m.globals
	}
	return c.Mod.Globals
}

// defineClass executes a Python class statement.
func (m *machine) defineClass(decl *program.Class, s *value.Scope) *value.Class {
	if m.depth++; m.depth > maxDepth {
		m.stop(program.Place{Span: decl.Span}, limit.Size, "classes nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	c := &value.Class{Decl: decl, Mod: m.mod, Env: s, Attrs: map[string]value.Value{}}
	for _, b := range decl.Bases {
		switch v := m.eval(b, s).(type) {
		case *value.Class:
			c.Bases = append(c.Bases, v)
			c.Enum, c.Numeric = c.Enum || v.Enum, c.Numeric || v.Numeric
		case value.Path:
			c.Bases = append(c.Bases, v)
			c.Enum = c.Enum || value.EnumBases[value.LastWord(string(v))]
			c.Numeric = c.Numeric || value.NumericEnums[value.LastWord(string(v))] || value.LastWord(string(v)) == "int" && c.Enum
		}
	}
	c.Mro = value.Linearize(c)
	for _, a := range decl.Attributes {
		name := value.LastName(a)
		c.Dataclass = c.Dataclass || name == "dataclass"
	}
	c.Dataclass = c.Dataclass || c.NamedTuple()
	body := value.NewScope(s, true)
	body.Class = c
	m.run(decl.Body, body)
	c.Collect(decl.Body, body)
	c.Derives()
	if c.Enum {
		c.Enumerate()
	}
	return c
}

// defineFunction executes a Python def: defaults and decorators are evaluated where it stands.
func (m *machine) defineFunction(fn *program.Function, s *value.Scope) value.Value {
	f := &value.Closure{Fn: fn, Env: s, Mod: m.mod, Owner: s.Class, Defaults: m.defaults(fn.Params, s)}
	if s.Class != nil {
		f.Env = s.Parent // names of a class body are not seen by its methods
	}
	var out value.Value = f
	for i := len(fn.Attributes) - 1; i >= 0; i-- {
		out = m.decorated(fn.Attributes[i], out, fn, s)
	}
	return out
}

// defaults evaluates the defaults of parameters; nil where there is none.
func (m *machine) defaults(params []program.Param, s *value.Scope) []value.Value {
	var out []value.Value
	for i, p := range params {
		if p.Default == nil {
			continue
		}
		if out == nil {
			out = make([]value.Value, len(params))
		}
		out[i] = m.evalTyped(p.Default, s)
	}
	return out
}

// decorated applies one decorator. Those of the DSL and of the standard library that only mark or wrap a function
// leave it as it is; those of the program are called.
func (m *machine) decorated(d program.Expr, f value.Value, fn *program.Function, s *value.Scope) value.Value {
	switch value.LastName(d) {
	case "staticmethod":
		return value.StaticMethod{Fun: f}
	case "classmethod":
		return value.ClassMethod{Fun: f}
	case "cached_property":
		return value.Property{Get: f, Cached: true}
	case "property", "abstractproperty":
		return value.Property{Get: f}
	case "setter":
		if l, ok := s.Lookup(fn.Name); ok {
			if p, ok := l.Get().(value.Property); ok {
				return value.Property{Get: p.Get, Set: f}
			}
		}
		return f
	}
	name := d
	call, isCall := d.(*program.Call)
	if isCall {
		name = call.Fun
	}
	if fn.Kernel || !m.bound(name, s) {
		return f
	}
	switch v := m.eval(name, s).(type) {
	case value.Path:
		if value.Replaces(v) || value.Remembers(v) && m.hasEffects(fn) {
			return value.Data{}
		}
	case *value.Closure, *value.Class, *value.Object, *value.PartialCall:
		if v := m.callWith(m.eval(d, s), &value.Arguments{Vals: []value.Value{f}}, program.Place{Span: fn.Span}); value.Callable(v) {
			return v
		}
	}
	return f
}
