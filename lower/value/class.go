package value

import (
	slash "path"
	"slices"
	"strings"

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

// Callable reports whether a value can be called.
func Callable(v Value) bool {
	switch v.(type) {
	case *Closure, *Class, *Object, *PartialCall, Property, StaticMethod, ClassMethod:
		return true
	}
	return false
}

// Params are the parameters that arguments can be bound to: without self.
func (f *Closure) Params() []program.Param {
	if f.Lambda != nil {
		return f.Lambda.Params[min(f.skipped(), len(f.Lambda.Params)):]
	}
	return f.Fn.Params[min(f.skipped(), len(f.Fn.Params)):]
}

// skipped is 1 where the first parameter is bound to self.
func (f *Closure) skipped() int {
	if f.Self != nil {
		return 1
	}
	return 0
}

// Remembers reports whether a decorator keeps what a function gave.
func Remembers(decorator Path) bool {
	return decorator == "functools.lru_cache" || decorator == "functools.cache"
}

// Replaces reports whether a decorator of functools puts another function in the place of one: wraps copies its name only.
func Replaces(decorator Path) bool {
	module, name, _ := strings.Cut(string(decorator), ".")
	return module == "functools" && name != "wraps" && !Remembers(decorator)
}

// Derives loses what the classes hold that a new class is derived from, where one of them is told of it (reference 3.3.3.1).
func (c *Class) Derives() {
	for i, k := range c.Mro {
		if _, told := k.Attrs["__init_subclass__"]; !told || i == 0 {
			continue
		}
		for _, up := range c.Mro {
			for name, v := range up.Attrs {
				if !Callable(v) {
					up.Attrs[name] = Data{}
				}
			}
		}
	}
}

// Hooked reports whether a class says itself what assigning or reading an attribute does, or one of its bases what deriving from it
// does (reference 3.3.2, 3.3.3): its objects are not known.
func Hooked(c *Class) bool {
	for i, k := range c.Mro {
		for _, name := range []string{"__setattr__", "__delattr__", "__getattribute__"} {
			if _, ok := k.Attrs[name]; ok {
				return true
			}
		}
		if _, ok := k.Attrs["__init_subclass__"]; ok && i > 0 {
			return true
		}
		for _, v := range k.Attrs {
			if o, ok := v.(*Object); ok && o.Class != nil && descriptor(o.Class) {
				return true
			}
		}
	}
	return false
}

// descriptor reports whether reading or assigning an attribute that holds an object of the class calls it (reference 3.3.2.2).
func descriptor(c *Class) bool {
	for _, name := range []string{"__get__", "__set__", "__delete__"} {
		if _, _, ok := c.Find(name); ok {
			return true
		}
	}
	return false
}

// A module is a file as the evaluator sees it. Imports are resolved when a name is first used, so that a kernel loads
// only what it needs: first in the embedded library (our models of the DSL's own classes), then among the files of
// the scanned tree, relative to the importing file's folder and its ancestors, as Python's search path would find
// them for a script in that folder.
type Module struct {
	Name    string        // dotted
	File    *program.File // nil for a package that is only a folder
	Globals *Scope
	Library bool // one of the embedded models: its operations stand where the user's code calls it
	Names   map[string][]*program.Function
	Classes map[string]*program.Class
	From    map[string]*program.Import // what each imported name stands for, wherever in the file it is imported
	Starred []*program.Import
	Ready   bool // globals are evaluated
}

// ModuleRef is a module used as a value.
type ModuleRef struct{ Mod *Module }

// IsPackage reports whether the module is the file of a package.
func (mod *Module) IsPackage() bool {
	return mod.File != nil && slash.Base(mod.File.Source.Name) == "__init__.py"
}

// Folder is where relative imports of the module start.
func (mod *Module) Folder() string {
	if mod.File == nil {
		return "."
	}
	return slash.Dir(mod.File.Source.Name)
}

// Names lists an object's attributes: the fields of its class in order, then the others by name.
func (o *Object) Names() []string {
	var out []string
	if o.Class != nil {
		for _, f := range o.Class.AllFields() {
			if _, ok := o.Fields[f.Name]; ok && !slices.Contains(out, f.Name) {
				out = append(out, f.Name)
			}
		}
	}
	known := len(out)
	for name := range o.Fields {
		if !slices.Contains(out[:known], name) {
			out = append(out, name)
		}
	}
	slices.Sort(out[known:])
	return out
}

// Exception is an instance of one of Python's own exception classes.
type Exception struct {
	Name string
	Args []Value
}

// ExceptionBases are Python's own exceptions, each with the class it is derived from ("Built-in Exceptions").
var ExceptionBases = map[string]string{
	"BaseException": "", "Exception": "BaseException", "KeyboardInterrupt": "BaseException", "SystemExit": "BaseException",
	"ArithmeticError": "Exception", "ZeroDivisionError": "ArithmeticError", "OverflowError": "ArithmeticError",
	"AssertionError": "Exception", "AttributeError": "Exception", "ImportError": "Exception", "ModuleNotFoundError": "ImportError",
	"LookupError": "Exception", "IndexError": "LookupError", "KeyError": "LookupError", "NameError": "Exception", "OSError": "Exception",
	"RuntimeError": "Exception", "NotImplementedError": "RuntimeError", "RecursionError": "RuntimeError", "StopIteration": "Exception",
	"TypeError": "Exception", "ValueError": "Exception", "Warning": "Exception", "UserWarning": "Warning",
	"DeprecationWarning": "Warning", "RuntimeWarning": "Warning",
}

// Follows reports whether a class has every method of a protocol (PEP 544, runtime_checkable).
func (c *Class) Follows(protocol *Class) bool {
	if !slices.ContainsFunc(protocol.Outside(), func(b string) bool { return LastWord(b) == "Protocol" }) {
		return false
	}
	return !slices.ContainsFunc(protocol.Order, func(name string) bool {
		_, _, has := c.Find(name)
		return !has && !strings.HasPrefix(name, "__")
	})
}

// IsPartial reports whether a value is functools.partial(…).
func IsPartial(v Value) bool {
	_, ok := v.(*PartialCall)
	return ok
}

// NumberClass reports whether a whole number counts as an instance of the named class.
func NumberClass(name string, v Value) bool {
	switch name {
	case "int", "Numeric", "Integer", "Integral", "Number", "object", "Constexpr", "IntTuple", "Int":
		return true
	case "bool", "Boolean":
		n, ok := v.(Int)
		return ok && (n == 0 || n == 1)
	}
	k := NumberType(name)
	return k != nil && k.Integer
}

// PlainBases are library classes with no base of their own that a program would ask for.
var PlainBases = Words("object ABC Generic Protocol NamedTuple Enum IntEnum Flag IntFlag StrEnum Exception ValueError RuntimeError TypeError")

// CloneObject is a shallow copy.
func CloneObject(o *Object) *Object {
	c := *o
	c.Fields = make(map[string]Value, len(o.Fields))
	for k, v := range o.Fields {
		c.Fields[k] = v
	}
	return &c
}

// ListFields is fields(o) or asdict(o) of a dataclass.
func ListFields(name string, o *Object) Value {
	d, list := NewMapping(), &Sequence{}
	for _, f := range o.Class.AllFields() {
		d.Put(Text(f.Name), o.Fields[f.Name])
		if name == "fields" {
			list.Elems = append(list.Elems, &Object{Fields: map[string]Value{"name": Text(f.Name)}})
		} else {
			list.Elems = append(list.Elems, o.Fields[f.Name])
		}
	}
	if name == "asdict" {
		return d
	}
	return list
}
