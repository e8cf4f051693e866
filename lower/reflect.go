package lower

import (
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// instanceOf is isinstance(v, class). A number of this evaluator does not say whether Python or the DSL made it, so
// an integer is an instance of int and of the DSL's integer types; and a tuple is not told from a list.
func (m *machine) instanceOf(v, of value.Value) value.Value {
	switch c := of.(type) {
	case *value.Sequence:
		var out value.Value = value.Int(0)
		for _, e := range c.Elems {
			out = value.Binary("||", out, m.instanceOf(v, e))
		}
		return out
	case *value.Class:
		switch v := v.(type) {
		case *value.Object:
			return value.Bool(v.Class != nil && (v.Class.DerivedFrom(c) || v.Class.Follows(c)))
		case *value.EnumMember:
			return value.Bool(v.Class.DerivedFrom(c))
		}
		return cute.UnknownInstance(v, c)
	case value.Path:
		return m.instanceOfNamed(v, string(c))
	case value.None: // part of a union with None
		return value.IsNone(v)
	}
	return value.Data{}
}

func (m *machine) instanceOfNamed(v value.Value, name string) value.Value {
	short := value.LastWord(name)
	switch v := v.(type) {
	case value.Int, value.Lanes:
		return value.Bool(value.NumberClass(short, v))
	case value.Symbol:
		if v.Expr.Op != "" {
			return value.Bool(short != "int" && short != "bool" && value.NumberClass(short, v))
		}
	case value.Float:
		return value.Bool(short == "float" || short == "Float32" || short == "Numeric" || short == "Number" || short == "object")
	case value.Text:
		return value.Bool(short == "str" || short == "object")
	case value.None:
		return value.Bool(short == "NoneType" || short == "object")
	case *value.Sequence:
		return value.Bool(value.Words("tuple list Sequence Iterable Collection object Tuple List")[short])
	case *value.Mapping:
		return value.Bool(short == "object" || v.Set == (short == "set" || short == "frozenset") && value.Words("dict set frozenset Mapping Dict Iterable")[short])
	case *value.Closure, *value.PartialCall, value.BoundMethod:
		return value.Bool(short == "Callable" || short == "FunctionType" || short == "object" || short == "partial" && value.IsPartial(v))
	case *value.EnumMember:
		return value.Bool(short == "object" || value.EnumBases[short] || v.Class.Numeric && short == "int")
	case *value.Class:
		return value.Bool(short == "type" || short == "object" || short == "Callable")
	case value.Pointer:
		return value.Bool(short == "Pointer" || short == "object")
	case *value.Exception:
		return value.Bool(m.catches(value.Path(name), v))
	case value.Path:
		switch {
		case short == "type":
			return value.Bool(value.Named(string(v)))
		case value.Named(string(v)) && value.Words("str int float bool tuple list dict set bytes")[short]:
			return value.Int(0) // a class or an enumerator
		}
		return value.Data{}
	case *value.Object:
		return m.objectInstance(v, name)
	case value.Register:
		return v.Instance(short)
	case *cute.Tensor:
		return value.Bool(short == "Tensor" || short == "object")
	case *cute.TiledMMA:
		return v.Instance(short)
	case *cute.Layout:
		return value.Bool(short == "Layout" || short == "ComposedLayout" || short == "object")
	}
	if _, unknown := v.(value.Data); unknown && short == "TensorSSA" && !m.host {
		m.in.assumed["what is computed and asked whether it is a vector is a scalar"] = inWords
		return value.Int(0)
	}
	return cute.UnknownInstance(v, value.Path(name))
}

// objectInstance decides for an instance of a user's class and a class the evaluator knows by name only: one of the
// bases its class names, or, where one of these is a library's, perhaps a base of that.
func (m *machine) objectInstance(o *value.Object, name string) value.Value {
	if o.Class == nil {
		return cute.OperationInstance(o, name)
	}
	found, open := value.LastWord(name) == "object", false
	for _, base := range o.Class.Outside() {
		found = found || value.LastWord(base) == value.LastWord(name)
		open = open || !value.PlainBases[value.LastWord(base)]
	}
	switch {
	case found:
		return value.Int(1)
	case open:
		return value.Data{}
	}
	return value.Int(0)
}

// classOf is type(v).
func (m *machine) classOf(v value.Value) value.Value {
	switch v := v.(type) {
	case value.Int:
		return value.Path("int")
	case value.Float:
		return value.Path("float")
	case value.Text:
		return value.Path("str")
	case value.None:
		return value.Path("NoneType")
	case *value.Sequence:
		return value.Path("tuple")
	case *value.Mapping:
		if v.Set {
			return value.Path("set")
		}
		return value.Path("dict")
	case *value.Object:
		if v.Class != nil {
			return v.Class
		}
	case *value.EnumMember:
		return v.Class
	case value.Register:
		if of, ok := v.Dtype.(value.Path); ok && !v.Vector {
			return of
		}
	case value.Lanes:
		return value.Path("cutlass.Int32")
	case value.Symbol:
		return value.Atom("type(" + v.Expr.String() + ")")
	}
	return value.Data{}
}

// hasAttribute is hasattr(x, name).
func (m *machine) hasAttribute(x value.Value, name string, n program.Node) value.Value {
	switch x := x.(type) {
	case *value.Object, *value.Class, *value.EnumMember:
		if _, ok := m.lookup(x, name, n); ok {
			return value.Int(1)
		}
		return value.Int(0)
	case value.Int, value.Float, value.Text, value.None, *value.Sequence, *value.Mapping, value.Lanes:
		_, ok := builtinMember(x, name)
		return value.Bool(ok)
	case value.Symbol:
		if x.Expr.Op == "" && !strings.ContainsAny(x.Expr.Atom, "([") {
			return value.Atom("hasattr(" + x.Expr.Atom + ", " + name + ")")
		}
	case value.Path: // of a library, by its release
		if strings.HasPrefix(string(x), "cutlass.") || x == "cutlass" {
			m.in.assumed["a release of the DSL that has "+string(x)+"."+name] = inWords
			return value.Int(1)
		}
		return value.Atom("hasattr(" + string(x) + ", " + name + ")")
	}
	return value.Data{}
}

// reflection evaluates the built-in functions that look at or change the attributes of objects.
func (m *machine) reflection(name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	attr, isText := a.Arg(1).(value.Text)
	switch name {
	case "isinstance":
		if !m.host {
			m.in.low.asksKind(n, a.Arg(0))
		}
		return m.instanceOf(a.Arg(0), a.Arg(1)), true
	case "issubclass":
		if c, ok := a.Arg(0).(*value.Class); ok {
			return m.instanceOf(&value.Object{Class: c}, a.Arg(1)), true
		}
		if p, ok := a.Arg(0).(value.Path); ok {
			return cute.SubclassNamed(p, a.Arg(1)), true
		}
		return value.Data{}, true
	case "type":
		if len(a.Vals) == 1 {
			c := m.classOf(a.Vals[0])
			if _, unknown := c.(value.Data); unknown && !m.host { // still a type: what is made of it synchronizes with nobody
				f, at := m.place(n.Where())
				c = value.Atom(fmt.Sprintf("the type asked for in line %d of %s", f.Source.Position(at.Start).Line, strings.ReplaceAll(f.Source.Name, ".", "_")))
			}
			return c, true
		}
		return value.Data{}, true
	case "vars":
		if o, ok := a.Arg(0).(*value.Object); ok {
			return m.member(o, "__dict__", n), true
		}
		return value.Data{}, true
	case "callable":
		switch a.Arg(0).(type) {
		case *value.Closure, *value.PartialCall, value.BoundMethod, *value.Class:
			return value.Int(1), true
		case value.Int, value.Float, value.Text, value.None, *value.Sequence, *value.Mapping:
			return value.Int(0), true
		}
		return value.Data{}, true
	case "id":
		if h, ok := value.Hash(a.Arg(0)); ok {
			return value.Text(h), true
		}
		return value.Data{}, true
	}
	if !isText {
		if value.Words("hasattr getattr setattr delattr")[name] {
			return value.Data{}, true
		}
		return nil, false
	}
	switch name {
	case "hasattr":
		return m.hasAttribute(a.Arg(0), string(attr), n), true
	case "getattr":
		if len(a.Vals) > 2 {
			if has, ok := m.hasAttribute(a.Arg(0), string(attr), n).(value.Int); ok && has == 0 {
				return a.Vals[2], true
			}
		}
		return m.member(a.Arg(0), string(attr), n), true
	case "setattr":
		m.setAttribute(a.Arg(0), string(attr), a.Arg(2), n)
		return value.None{}, true
	case "delattr":
		if o, ok := a.Arg(0).(*value.Object); ok {
			o.Drop(string(attr))
		}
		return value.None{}, true
	}
	return nil, false
}
