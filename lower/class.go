package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// class is a class as a value. Its body is evaluated where it stands.
type class struct {
	decl      *program.Class
	mod       *module
	env       *scope           // around the class statement; nil: the module's own
	bases     []value          // classes, and paths of library classes that are not modelled
	attrs     map[string]value // what the body bound
	order     []string         // of attrs
	mro       []*class         // where attributes are looked for, this class first
	dataclass bool
	enum      bool
	numeric   bool // enum: members count as their numbers
	fields    []classField
}

// classField is an annotated name of a class body: a field of a dataclass, a named tuple or a struct.
type classField struct {
	name string
	at   *program.Assign
	// def is the default; nil where there is none.
	def value
}

// What a class body binds to a function under a decorator.
type (
	staticMethod struct{ fun value }
	classMethod  struct{ fun value }
	property     struct {
		get, set value
		cached   bool // the object keeps what it gave first
	}
	// superRef is super(): the attributes of self that come after a class.
	superRef struct {
		self  value
		after *class
	}
)

// classOf is the class value of a declaration of the running module, for those who only have the tree.
func (m *machine) classNamed(decl *program.Class) *class {
	if l, ok := m.globals.vars[decl.Name]; ok {
		if c, ok := l.get().(*class); ok && c.decl == decl {
			return c
		}
	}
	return m.defineClass(decl, m.globals)
}

// scopeOf is where names in a class's own statements are looked up.
func (m *machine) scopeOf(c *class) *scope {
	switch {
	case c.env != nil:
		return c.env
	case c.mod == nil || c.mod.file == m.file: // the machine's own copy of its file's globals
		return m.globals
	}
	return c.mod.globals
}

// defineClass executes a Python class statement.
func (m *machine) defineClass(decl *program.Class, s *scope) *class {
	if m.depth++; m.depth > maxDepth {
		m.stop(program.Place{Span: decl.Span}, limit.Size, "classes nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	c := &class{decl: decl, mod: m.mod, env: s, attrs: map[string]value{}}
	for _, b := range decl.Bases {
		switch v := m.eval(b, s).(type) {
		case *class:
			c.bases = append(c.bases, v)
			c.enum, c.numeric = c.enum || v.enum, c.numeric || v.numeric
		case path:
			c.bases = append(c.bases, v)
			c.enum = c.enum || enumBases[lastWord(string(v))]
			c.numeric = c.numeric || numericEnums[lastWord(string(v))] || lastWord(string(v)) == "int" && c.enum
		}
	}
	c.mro = linearize(c)
	for _, a := range decl.Attributes {
		name := lastName(a)
		c.dataclass = c.dataclass || name == "dataclass"
	}
	c.dataclass = c.dataclass || c.namedTuple()
	body := newScope(s, true)
	body.class = c
	m.run(decl.Body, body)
	c.collect(decl.Body, body)
	c.derives()
	if c.enum {
		c.enumerate()
	}
	return c
}

// collect takes over what the class body bound, in order.
func (c *class) collect(body []program.Stmt, s *scope) {
	add := func(name string) {
		l, ok := s.vars[name]
		if !ok {
			return
		}
		if _, known := c.attrs[name]; !known {
			c.order = append(c.order, name)
		}
		c.attrs[name] = l.get()
	}
	for _, st := range body {
		switch st := st.(type) {
		case *program.Assign:
			for _, t := range st.Targets {
				switch t := t.(type) {
				case *program.Name:
					if st.Value != nil {
						add(t.Ident)
					}
					if st.Type != "" && !strings.Contains(st.Type, "ClassVar") {
						c.fields = append(c.fields, classField{t.Ident, st, c.attrs[t.Ident]})
					}
				case *program.Tuple:
					for _, e := range t.Elems {
						if id, ok := e.(*program.Name); ok {
							add(id.Ident)
						}
					}
				}
			}
		case *program.FuncDef:
			add(st.Func.Name)
		case *program.ClassDef:
			add(st.Class.Name)
		case *program.If:
			c.collect(st.Then, s)
			c.collect(st.Else, s)
		case *program.Try:
			c.collect(st.Body, s)
		}
	}
}

// linearize is Python's method resolution order (C3), or depth first where the bases contradict each other.
func linearize(c *class) []*class {
	var lists [][]*class
	var direct []*class
	for _, b := range c.bases {
		if up, ok := b.(*class); ok {
			lists = append(lists, slices.Clone(up.mro))
			direct = append(direct, up)
		}
	}
	lists = append(lists, direct)
	out := []*class{c}
	for len(out) < 256 {
		var pick *class
		rest := false
		for _, l := range lists {
			if len(l) == 0 {
				continue
			}
			rest = true
			if !slices.ContainsFunc(lists, func(o []*class) bool { return slices.Index(o, l[0]) > 0 }) {
				pick = l[0]
				break
			}
		}
		if !rest {
			return out
		}
		if pick == nil { // no order is right; Python refuses such a class
			for _, l := range lists {
				if len(l) > 0 {
					pick = l[0]
					break
				}
			}
		}
		out = append(out, pick)
		for i, l := range lists {
			lists[i] = slices.DeleteFunc(l, func(x *class) bool { return x == pick })
		}
	}
	return out
}

// find looks an attribute up along the classes; owner is where it stands.
func (c *class) find(name string) (v value, owner *class, ok bool) {
	for _, k := range c.mro {
		if v, ok := k.attrs[name]; ok {
			return v, k, true
		}
	}
	return nil, nil, false
}

// outside lists the library classes, not modelled, that a class is derived from.
func (c *class) outside() []string {
	var out []string
	for _, k := range c.mro {
		for _, b := range k.bases {
			if p, ok := b.(path); ok {
				out = append(out, string(p))
			}
		}
	}
	return out
}

// derivedFrom reports whether c is base or derived from it.
func (c *class) derivedFrom(base *class) bool {
	if c == base {
		return true
	}
	return slices.ContainsFunc(c.mro, func(k *class) bool { return k == base || k.decl == base.decl })
}

// namedTuple reports whether the class is a named tuple.
func (c *class) namedTuple() bool {
	return slices.ContainsFunc(c.outside(), func(b string) bool { return lastWord(b) == "NamedTuple" })
}

// comparesFields reports whether == of two objects of the class compares their fields: of a named tuple, and of a dataclass
// whose decorator does not say eq=False.
func (c *class) comparesFields() bool {
	for _, k := range c.mro {
		if !k.dataclass {
			continue
		}
		for _, a := range k.decl.Attributes {
			if call, ok := a.(*program.Call); ok && lastName(a) == "dataclass" {
				for _, w := range call.Keywords {
					if b, ok := w.Value.(*program.Bool); ok && w.Name == "eq" && !b.Value {
						return false
					}
				}
			}
		}
		return true
	}
	return c.dataclass
}

// lastName is the last word of the name in a decorator: "dataclass" for @dataclasses.dataclass(frozen=True).
func lastName(e program.Expr) string {
	switch e := e.(type) {
	case *program.Name:
		return e.Ident
	case *program.Attr:
		return e.Name
	case *program.Call:
		return lastName(e.Fun)
	}
	return ""
}

// defineFunction executes a Python def: defaults and decorators are evaluated where it stands.
func (m *machine) defineFunction(fn *program.Function, s *scope) value {
	f := &closure{fn: fn, env: s, mod: m.mod, owner: s.class, defaults: m.defaults(fn.Params, s)}
	if s.class != nil {
		f.env = s.parent // names of a class body are not seen by its methods
	}
	var out value = f
	for i := len(fn.Attributes) - 1; i >= 0; i-- {
		out = m.decorated(fn.Attributes[i], out, fn, s)
	}
	return out
}

// defaults evaluates the defaults of parameters; nil where there is none.
func (m *machine) defaults(params []program.Param, s *scope) []value {
	var out []value
	for i, p := range params {
		if p.Default == nil {
			continue
		}
		if out == nil {
			out = make([]value, len(params))
		}
		out[i] = m.evalTyped(p.Default, s)
	}
	return out
}

// decorated applies one decorator. Those of the DSL and of the standard library that only mark or wrap a function
// leave it as it is; those of the program are called.
func (m *machine) decorated(d program.Expr, f value, fn *program.Function, s *scope) value {
	switch lastName(d) {
	case "staticmethod":
		return staticMethod{f}
	case "classmethod":
		return classMethod{f}
	case "cached_property":
		return property{get: f, cached: true}
	case "property", "abstractproperty":
		return property{get: f}
	case "setter":
		if l, ok := s.lookup(fn.Name); ok {
			if p, ok := l.get().(property); ok {
				return property{get: p.get, set: f}
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
	case path:
		if replaces(v) || remembers(v) && m.hasEffects(fn) {
			return data{}
		}
	case *closure, *class, *object, *partial:
		if v := m.callWith(m.eval(d, s), &arguments{vals: []value{f}}, program.Place{Span: fn.Span}); callable(v) {
			return v
		}
	}
	return f
}

// callable reports whether a value can be called.
func callable(v value) bool {
	switch v.(type) {
	case *closure, *class, *object, *partial, property, staticMethod, classMethod:
		return true
	}
	return false
}
