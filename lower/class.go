package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Class is a class as a value. Its body is evaluated where it stands.
type Class struct {
	Decl      *program.Class
	Mod       *Module
	Env       *Scope           // around the class statement; nil: the module's own
	Bases     []Value          // classes, and paths of library classes that are not modelled
	Attrs     map[string]Value // what the body bound
	Order     []string         // of attrs
	Mro       []*Class         // where attributes are looked for, this class first
	Dataclass bool
	Enum      bool
	Numeric   bool // enum: members count as their numbers
	Fields    []ClassField
}

// ClassField is an annotated name of a class body: a field of a dataclass, a named tuple or a struct.
type ClassField struct {
	Name string
	At   *program.Assign
	// Def is the default; nil where there is none.
	Def Value
}

// What a class body binds to a function under a decorator.
type (
	StaticMethod struct{ Fun Value }
	ClassMethod  struct{ Fun Value }
	Property     struct {
		Get, Set Value
		Cached   bool // the object keeps what it gave first
	}
	// SuperRef is super(): the attributes of self that come after a class.
	SuperRef struct {
		Self  Value
		After *Class
	}
)

// classOf is the class value of a declaration of the running module, for those who only have the tree.
func (m *machine) classNamed(decl *program.Class) *Class {
	if l, ok := m.globals.Vars[decl.Name]; ok {
		if c, ok := l.Get().(*Class); ok && c.Decl == decl {
			return c
		}
	}
	return m.defineClass(decl, m.globals)
}

// scopeOf is where names in a class's own statements are looked up.
func (m *machine) scopeOf(c *Class) *Scope {
	switch {
	case c.Env != nil:
		return c.Env
	case c.Mod == nil || c.Mod.File == m.file: // the machine's own copy of its file's globals
		return m.globals
	}
	return c.Mod.Globals
}

// defineClass executes a Python class statement.
func (m *machine) defineClass(decl *program.Class, s *Scope) *Class {
	if m.depth++; m.depth > maxDepth {
		m.stop(program.Place{Span: decl.Span}, limit.Size, "classes nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	c := &Class{Decl: decl, Mod: m.mod, Env: s, Attrs: map[string]Value{}}
	for _, b := range decl.Bases {
		switch v := m.eval(b, s).(type) {
		case *Class:
			c.Bases = append(c.Bases, v)
			c.Enum, c.Numeric = c.Enum || v.Enum, c.Numeric || v.Numeric
		case Path:
			c.Bases = append(c.Bases, v)
			c.Enum = c.Enum || EnumBases[LastWord(string(v))]
			c.Numeric = c.Numeric || NumericEnums[LastWord(string(v))] || LastWord(string(v)) == "int" && c.Enum
		}
	}
	c.Mro = Linearize(c)
	for _, a := range decl.Attributes {
		name := LastName(a)
		c.Dataclass = c.Dataclass || name == "dataclass"
	}
	c.Dataclass = c.Dataclass || c.NamedTuple()
	body := NewScope(s, true)
	body.Class = c
	m.run(decl.Body, body)
	c.Collect(decl.Body, body)
	c.Derives()
	if c.Enum {
		c.Enumerate()
	}
	return c
}

// Collect takes over what the class body bound, in order.
func (c *Class) Collect(body []program.Stmt, s *Scope) {
	add := func(name string) {
		l, ok := s.Vars[name]
		if !ok {
			return
		}
		if _, known := c.Attrs[name]; !known {
			c.Order = append(c.Order, name)
		}
		c.Attrs[name] = l.Get()
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
						c.Fields = append(c.Fields, ClassField{t.Ident, st, c.Attrs[t.Ident]})
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
			c.Collect(st.Then, s)
			c.Collect(st.Else, s)
		case *program.Try:
			c.Collect(st.Body, s)
		}
	}
}

// Linearize is Python's method resolution order (C3), or depth first where the bases contradict each other.
func Linearize(c *Class) []*Class {
	var lists [][]*Class
	var direct []*Class
	for _, b := range c.Bases {
		if up, ok := b.(*Class); ok {
			lists = append(lists, slices.Clone(up.Mro))
			direct = append(direct, up)
		}
	}
	lists = append(lists, direct)
	out := []*Class{c}
	for len(out) < 256 {
		var pick *Class
		rest := false
		for _, l := range lists {
			if len(l) == 0 {
				continue
			}
			rest = true
			if !slices.ContainsFunc(lists, func(o []*Class) bool { return slices.Index(o, l[0]) > 0 }) {
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
			lists[i] = slices.DeleteFunc(l, func(x *Class) bool { return x == pick })
		}
	}
	return out
}

// Find looks an attribute up along the classes; owner is where it stands.
func (c *Class) Find(name string) (v Value, owner *Class, ok bool) {
	for _, k := range c.Mro {
		if v, ok := k.Attrs[name]; ok {
			return v, k, true
		}
	}
	return nil, nil, false
}

// Outside lists the library classes, not modelled, that a class is derived from.
func (c *Class) Outside() []string {
	var out []string
	for _, k := range c.Mro {
		for _, b := range k.Bases {
			if p, ok := b.(Path); ok {
				out = append(out, string(p))
			}
		}
	}
	return out
}

// DerivedFrom reports whether c is base or derived from it.
func (c *Class) DerivedFrom(base *Class) bool {
	if c == base {
		return true
	}
	return slices.ContainsFunc(c.Mro, func(k *Class) bool { return k == base || k.Decl == base.Decl })
}

// NamedTuple reports whether the class is a named tuple.
func (c *Class) NamedTuple() bool {
	return slices.ContainsFunc(c.Outside(), func(b string) bool { return LastWord(b) == "NamedTuple" })
}

// comparesFields reports whether == of two objects of the class compares their fields: of a named tuple, and of a dataclass
// whose decorator does not say eq=False.
func (c *Class) comparesFields() bool {
	for _, k := range c.Mro {
		if !k.Dataclass {
			continue
		}
		for _, a := range k.Decl.Attributes {
			if call, ok := a.(*program.Call); ok && LastName(a) == "dataclass" {
				for _, w := range call.Keywords {
					if b, ok := w.Value.(*program.Bool); ok && w.Name == "eq" && !b.Value {
						return false
					}
				}
			}
		}
		return true
	}
	return c.Dataclass
}

// LastName is the last word of the name in a decorator: "dataclass" for @dataclasses.dataclass(frozen=True).
func LastName(e program.Expr) string {
	switch e := e.(type) {
	case *program.Name:
		return e.Ident
	case *program.Attr:
		return e.Name
	case *program.Call:
		return LastName(e.Fun)
	}
	return ""
}

// defineFunction executes a Python def: defaults and decorators are evaluated where it stands.
func (m *machine) defineFunction(fn *program.Function, s *Scope) Value {
	f := &Closure{Fn: fn, Env: s, Mod: m.mod, Owner: s.Class, Defaults: m.defaults(fn.Params, s)}
	if s.Class != nil {
		f.Env = s.Parent // names of a class body are not seen by its methods
	}
	var out Value = f
	for i := len(fn.Attributes) - 1; i >= 0; i-- {
		out = m.decorated(fn.Attributes[i], out, fn, s)
	}
	return out
}

// defaults evaluates the defaults of parameters; nil where there is none.
func (m *machine) defaults(params []program.Param, s *Scope) []Value {
	var out []Value
	for i, p := range params {
		if p.Default == nil {
			continue
		}
		if out == nil {
			out = make([]Value, len(params))
		}
		out[i] = m.evalTyped(p.Default, s)
	}
	return out
}

// decorated applies one decorator. Those of the DSL and of the standard library that only mark or wrap a function
// leave it as it is; those of the program are called.
func (m *machine) decorated(d program.Expr, f Value, fn *program.Function, s *Scope) Value {
	switch LastName(d) {
	case "staticmethod":
		return StaticMethod{Fun: f}
	case "classmethod":
		return ClassMethod{Fun: f}
	case "cached_property":
		return Property{Get: f, Cached: true}
	case "property", "abstractproperty":
		return Property{Get: f}
	case "setter":
		if l, ok := s.Lookup(fn.Name); ok {
			if p, ok := l.Get().(Property); ok {
				return Property{Get: p.Get, Set: f}
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
	case Path:
		if Replaces(v) || Remembers(v) && m.hasEffects(fn) {
			return Data{}
		}
	case *Closure, *Class, *Object, *PartialCall:
		if v := m.callWith(m.eval(d, s), &Arguments{Vals: []Value{f}}, program.Place{Span: fn.Span}); Callable(v) {
			return v
		}
	}
	return f
}

// Callable reports whether a value can be called.
func Callable(v Value) bool {
	switch v.(type) {
	case *Closure, *Class, *Object, *PartialCall, Property, StaticMethod, ClassMethod:
		return true
	}
	return false
}
