package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// instanceOf is isinstance(v, class). A number of this evaluator does not say whether Python or the DSL made it, so
// an integer is an instance of int and of the DSL's integer types; and a tuple is not told from a list.
func (m *machine) instanceOf(v, of Value) Value {
	switch c := of.(type) {
	case *Sequence:
		var out Value = Int(0)
		for _, e := range c.Elems {
			out = Binary("||", out, m.instanceOf(v, e))
		}
		return out
	case *Class:
		switch v := v.(type) {
		case *Object:
			return Bool(v.Class != nil && (v.Class.DerivedFrom(c) || v.Class.Follows(c)))
		case *EnumMember:
			return Bool(v.Class.DerivedFrom(c))
		}
		return unknownInstance(v, c)
	case Path:
		return m.instanceOfNamed(v, string(c))
	case None: // part of a union with None
		return IsNone(v)
	}
	return Data{}
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

// unknownInstance is the answer for a class that only an unknown can be an instance of.
func unknownInstance(v, of Value) Value {
	switch v := v.(type) {
	case Data:
		return v
	case Symbol:
		if v.Expr.Op == "" && !strings.ContainsAny(v.Expr.Atom, "([") {
			return Atom("isinstance(" + v.Expr.Atom + ", " + Canonical(of) + ")")
		}
	case Path:
		return Data{}
	}
	return Int(0)
}

func (m *machine) instanceOfNamed(v Value, name string) Value {
	short := LastWord(name)
	switch v := v.(type) {
	case Int, Lanes:
		return Bool(NumberClass(short, v))
	case Symbol:
		if v.Expr.Op != "" {
			return Bool(short != "int" && short != "bool" && NumberClass(short, v))
		}
	case Float:
		return Bool(short == "float" || short == "Float32" || short == "Numeric" || short == "Number" || short == "object")
	case Text:
		return Bool(short == "str" || short == "object")
	case None:
		return Bool(short == "NoneType" || short == "object")
	case *Sequence:
		return Bool(Words("tuple list Sequence Iterable Collection object Tuple List")[short])
	case *Mapping:
		return Bool(short == "object" || v.Set == (short == "set" || short == "frozenset") && Words("dict set frozenset Mapping Dict Iterable")[short])
	case *Closure, *PartialCall, BoundMethod:
		return Bool(short == "Callable" || short == "FunctionType" || short == "object" || short == "partial" && IsPartial(v))
	case *EnumMember:
		return Bool(short == "object" || EnumBases[short] || v.Class.Numeric && short == "int")
	case *Class:
		return Bool(short == "type" || short == "object" || short == "Callable")
	case Pointer:
		return Bool(short == "Pointer" || short == "object")
	case *Exception:
		return Bool(m.catches(Path(name), v))
	case Path:
		switch {
		case short == "type":
			return Bool(Named(string(v)))
		case Named(string(v)) && Words("str int float bool tuple list dict set bytes")[short]:
			return Int(0) // a class or an enumerator
		}
		return Data{}
	case *Object:
		return m.objectInstance(v, name)
	case Register:
		return v.Instance(short)
	case *tensor:
		return Bool(short == "Tensor" || short == "object")
	case *tiledMMA:
		return v.instance(short)
	case *layout:
		return Bool(short == "Layout" || short == "ComposedLayout" || short == "object")
	}
	if _, unknown := v.(Data); unknown && short == "TensorSSA" && !m.host {
		m.in.assumed["what is computed and asked whether it is a vector is a scalar"] = true
		return Int(0)
	}
	return unknownInstance(v, Path(name))
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

// objectInstance decides for an instance of a user's class and a class the evaluator knows by name only: one of the
// bases its class names, or, where one of these is a library's, perhaps a base of that.
func (m *machine) objectInstance(o *Object, name string) Value {
	if o.Class == nil {
		return operationInstance(o, name)
	}
	found, open := LastWord(name) == "object", false
	for _, base := range o.Class.Outside() {
		found = found || LastWord(base) == LastWord(name)
		open = open || !PlainBases[LastWord(base)]
	}
	switch {
	case found:
		return Int(1)
	case open:
		return Data{}
	}
	return Int(0)
}

// PlainBases are library classes with no base of their own that a program would ask for.
var PlainBases = Words("object ABC Generic Protocol NamedTuple Enum IntEnum Flag IntFlag StrEnum Exception ValueError RuntimeError TypeError")

// classOf is type(v).
func (m *machine) classOf(v Value) Value {
	switch v := v.(type) {
	case Int:
		return Path("int")
	case Float:
		return Path("float")
	case Text:
		return Path("str")
	case None:
		return Path("NoneType")
	case *Sequence:
		return Path("tuple")
	case *Mapping:
		if v.Set {
			return Path("set")
		}
		return Path("dict")
	case *Object:
		if v.Class != nil {
			return v.Class
		}
	case *EnumMember:
		return v.Class
	case Register:
		if of, ok := v.Dtype.(Path); ok && !v.Vector {
			return of
		}
	case Lanes:
		return Path("cutlass.Int32")
	case Symbol:
		return Atom("type(" + v.Expr.String() + ")")
	}
	return Data{}
}

// hasAttribute is hasattr(x, name).
func (m *machine) hasAttribute(x Value, name string, n program.Node) Value {
	switch x := x.(type) {
	case *Object, *Class, *EnumMember:
		if _, ok := m.lookup(x, name, n); ok {
			return Int(1)
		}
		return Int(0)
	case Int, Float, Text, None, *Sequence, *Mapping, Lanes:
		_, ok := builtinMember(x, name)
		return Bool(ok)
	case Symbol:
		if x.Expr.Op == "" && !strings.ContainsAny(x.Expr.Atom, "([") {
			return Atom("hasattr(" + x.Expr.Atom + ", " + name + ")")
		}
	case Path: // of a library, by its release
		if strings.HasPrefix(string(x), "cutlass.") || x == "cutlass" {
			m.in.assumed["a release of the DSL that has "+string(x)+"."+name] = true
			return Int(1)
		}
		return Atom("hasattr(" + string(x) + ", " + name + ")")
	}
	return Data{}
}

// reflection evaluates the built-in functions that look at or change the attributes of objects.
func (m *machine) reflection(name string, a *Arguments, n program.Node) (Value, bool) {
	attr, isText := a.Arg(1).(Text)
	switch name {
	case "isinstance":
		if !m.host {
			m.in.low.asksKind(n, a.Arg(0))
		}
		return m.instanceOf(a.Arg(0), a.Arg(1)), true
	case "issubclass":
		if c, ok := a.Arg(0).(*Class); ok {
			return m.instanceOf(&Object{Class: c}, a.Arg(1)), true
		}
		if p, ok := a.Arg(0).(Path); ok {
			return subclassNamed(p, a.Arg(1)), true
		}
		return Data{}, true
	case "type":
		if len(a.Vals) == 1 {
			c := m.classOf(a.Vals[0])
			if _, unknown := c.(Data); unknown && !m.host { // still a type: what is made of it synchronizes with nobody
				f, at := m.place(n.Where())
				c = Atom(fmt.Sprintf("the type asked for in line %d of %s", f.Source.Position(at.Start).Line, strings.ReplaceAll(f.Source.Name, ".", "_")))
			}
			return c, true
		}
		return Data{}, true
	case "vars":
		if o, ok := a.Arg(0).(*Object); ok {
			return m.member(o, "__dict__", n), true
		}
		return Data{}, true
	case "callable":
		switch a.Arg(0).(type) {
		case *Closure, *PartialCall, BoundMethod, *Class:
			return Int(1), true
		case Int, Float, Text, None, *Sequence, *Mapping:
			return Int(0), true
		}
		return Data{}, true
	case "id":
		if h, ok := Hash(a.Arg(0)); ok {
			return Text(h), true
		}
		return Data{}, true
	}
	if !isText {
		if Words("hasattr getattr setattr delattr")[name] {
			return Data{}, true
		}
		return nil, false
	}
	switch name {
	case "hasattr":
		return m.hasAttribute(a.Arg(0), string(attr), n), true
	case "getattr":
		if len(a.Vals) > 2 {
			if has, ok := m.hasAttribute(a.Arg(0), string(attr), n).(Int); ok && has == 0 {
				return a.Vals[2], true
			}
		}
		return m.member(a.Arg(0), string(attr), n), true
	case "setattr":
		m.setAttribute(a.Arg(0), string(attr), a.Arg(2), n)
		return None{}, true
	case "delattr":
		if o, ok := a.Arg(0).(*Object); ok {
			delete(o.Fields, string(attr))
		}
		return None{}, true
	}
	return nil, false
}

// subclassNamed is issubclass for one of the DSL's number types.
func subclassNamed(p Path, of Value) Value {
	k := NumberType(LastWord(string(p)))
	switch c := of.(type) {
	case *Sequence:
		var out Value = Int(0)
		for _, e := range c.Elems {
			out = Binary("||", out, subclassNamed(p, e))
		}
		return out
	case Path:
		if k == nil {
			return Data{}
		}
		switch short := LastWord(string(c)); short {
		case "Numeric", "object":
			return Int(1)
		case "Integer":
			return Bool(k.Integer)
		case "Float":
			return Bool(k.Float)
		default:
			return Bool(short == LastWord(string(p)))
		}
	}
	return Data{}
}
