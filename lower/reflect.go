package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// instanceOf is isinstance(v, class). A number of this evaluator does not say whether Python or the DSL made it, so
// an integer is an instance of int and of the DSL's integer types; and a tuple is not told from a list.
func (m *machine) instanceOf(v, of value) value {
	switch c := of.(type) {
	case *sequence:
		var out value = integer(0)
		for _, e := range c.elems {
			out = binary("||", out, m.instanceOf(v, e))
		}
		return out
	case *class:
		switch v := v.(type) {
		case *object:
			return boolean(v.class != nil && (v.class.derivedFrom(c) || v.class.follows(c)))
		case *enumMember:
			return boolean(v.class.derivedFrom(c))
		}
		return unknownInstance(v, c)
	case path:
		return m.instanceOfNamed(v, string(c))
	case none: // part of a union with None
		return isNone(v)
	}
	return data{}
}

// follows reports whether a class has every method of a protocol (PEP 544, runtime_checkable).
func (c *class) follows(protocol *class) bool {
	if !slices.ContainsFunc(protocol.outside(), func(b string) bool { return lastWord(b) == "Protocol" }) {
		return false
	}
	return !slices.ContainsFunc(protocol.order, func(name string) bool {
		_, _, has := c.find(name)
		return !has && !strings.HasPrefix(name, "__")
	})
}

// unknownInstance is the answer for a class that only an unknown can be an instance of.
func unknownInstance(v, of value) value {
	switch v := v.(type) {
	case data:
		return v
	case symbol:
		if v.expr.op == "" && !strings.ContainsAny(v.expr.atom, "([") {
			return atom("isinstance(" + v.expr.atom + ", " + canonical(of) + ")")
		}
	case path:
		return data{}
	}
	return integer(0)
}

func (m *machine) instanceOfNamed(v value, name string) value {
	short := lastWord(name)
	switch v := v.(type) {
	case integer, lanes:
		return boolean(numberClass(short, v))
	case symbol:
		if v.expr.op != "" {
			return boolean(short != "int" && short != "bool" && numberClass(short, v))
		}
	case float:
		return boolean(short == "float" || short == "Float32" || short == "Numeric" || short == "Number" || short == "object")
	case text:
		return boolean(short == "str" || short == "object")
	case none:
		return boolean(short == "NoneType" || short == "object")
	case *sequence:
		return boolean(words("tuple list Sequence Iterable Collection object Tuple List")[short])
	case *mapping:
		return boolean(short == "object" || v.set == (short == "set" || short == "frozenset") && words("dict set frozenset Mapping Dict Iterable")[short])
	case *closure, *partial, boundMethod:
		return boolean(short == "Callable" || short == "FunctionType" || short == "object" || short == "partial" && isPartial(v))
	case *enumMember:
		return boolean(short == "object" || enumBases[short] || v.class.numeric && short == "int")
	case *class:
		return boolean(short == "type" || short == "object" || short == "Callable")
	case pointer:
		return boolean(short == "Pointer" || short == "object")
	case *exception:
		return boolean(m.catches(path(name), v))
	case path:
		switch {
		case short == "type":
			return boolean(named(string(v)))
		case named(string(v)) && words("str int float bool tuple list dict set bytes")[short]:
			return integer(0) // a class or an enumerator
		}
		return data{}
	case *object:
		return m.objectInstance(v, name)
	case register:
		return v.instance(short)
	case *tensor:
		return boolean(short == "Tensor" || short == "object")
	case *tiledMMA:
		return v.instance(short)
	case *layout:
		return boolean(short == "Layout" || short == "ComposedLayout" || short == "object")
	}
	if _, unknown := v.(data); unknown && short == "TensorSSA" && !m.host {
		m.in.assumed["what is computed and asked whether it is a vector is a scalar"] = true
		return integer(0)
	}
	return unknownInstance(v, path(name))
}

// isPartial reports whether a value is functools.partial(…).
func isPartial(v value) bool {
	_, ok := v.(*partial)
	return ok
}

// numberClass reports whether a whole number counts as an instance of the named class.
func numberClass(name string, v value) bool {
	switch name {
	case "int", "Numeric", "Integer", "Integral", "Number", "object", "Constexpr", "IntTuple", "Int":
		return true
	case "bool", "Boolean":
		n, ok := v.(integer)
		return ok && (n == 0 || n == 1)
	}
	k := numberType(name)
	return k != nil && k.integer
}

// objectInstance decides for an instance of a user's class and a class the evaluator knows by name only: one of the
// bases its class names, or, where one of these is a library's, perhaps a base of that.
func (m *machine) objectInstance(o *object, name string) value {
	if o.class == nil {
		return operationInstance(o, name)
	}
	found, open := lastWord(name) == "object", false
	for _, base := range o.class.outside() {
		found = found || lastWord(base) == lastWord(name)
		open = open || !plainBases[lastWord(base)]
	}
	switch {
	case found:
		return integer(1)
	case open:
		return data{}
	}
	return integer(0)
}

// plainBases are library classes with no base of their own that a program would ask for.
var plainBases = words("object ABC Generic Protocol NamedTuple Enum IntEnum Flag IntFlag StrEnum Exception ValueError RuntimeError TypeError")

// classOf is type(v).
func (m *machine) classOf(v value) value {
	switch v := v.(type) {
	case integer:
		return path("int")
	case float:
		return path("float")
	case text:
		return path("str")
	case none:
		return path("NoneType")
	case *sequence:
		return path("tuple")
	case *mapping:
		if v.set {
			return path("set")
		}
		return path("dict")
	case *object:
		if v.class != nil {
			return v.class
		}
	case *enumMember:
		return v.class
	case register:
		if of, ok := v.dtype.(path); ok && !v.vector {
			return of
		}
	case lanes:
		return path("cutlass.Int32")
	case symbol:
		return atom("type(" + v.expr.String() + ")")
	}
	return data{}
}

// hasAttribute is hasattr(x, name).
func (m *machine) hasAttribute(x value, name string, n program.Node) value {
	switch x := x.(type) {
	case *object, *class, *enumMember:
		if _, ok := m.lookup(x, name, n); ok {
			return integer(1)
		}
		return integer(0)
	case integer, float, text, none, *sequence, *mapping, lanes:
		_, ok := builtinMember(x, name)
		return boolean(ok)
	case symbol:
		if x.expr.op == "" && !strings.ContainsAny(x.expr.atom, "([") {
			return atom("hasattr(" + x.expr.atom + ", " + name + ")")
		}
	case path: // of a library, by its release
		if strings.HasPrefix(string(x), "cutlass.") || x == "cutlass" {
			m.in.assumed["a release of the DSL that has "+string(x)+"."+name] = true
			return integer(1)
		}
		return atom("hasattr(" + string(x) + ", " + name + ")")
	}
	return data{}
}

// reflection evaluates the built-in functions that look at or change the attributes of objects.
func (m *machine) reflection(name string, a *arguments, n program.Node) (value, bool) {
	attr, isText := a.arg(1).(text)
	switch name {
	case "isinstance":
		if !m.host {
			m.in.low.asksKind(n, a.arg(0))
		}
		return m.instanceOf(a.arg(0), a.arg(1)), true
	case "issubclass":
		if c, ok := a.arg(0).(*class); ok {
			return m.instanceOf(&object{class: c}, a.arg(1)), true
		}
		if p, ok := a.arg(0).(path); ok {
			return subclassNamed(p, a.arg(1)), true
		}
		return data{}, true
	case "type":
		if len(a.vals) == 1 {
			c := m.classOf(a.vals[0])
			if _, unknown := c.(data); unknown && !m.host { // still a type: what is made of it synchronizes with nobody
				f, at := m.place(n.Where())
				c = atom(fmt.Sprintf("the type asked for in line %d of %s", f.Source.Position(at.Start).Line, strings.ReplaceAll(f.Source.Name, ".", "_")))
			}
			return c, true
		}
		return data{}, true
	case "vars":
		if o, ok := a.arg(0).(*object); ok {
			return m.member(o, "__dict__", n), true
		}
		return data{}, true
	case "callable":
		switch a.arg(0).(type) {
		case *closure, *partial, boundMethod, *class:
			return integer(1), true
		case integer, float, text, none, *sequence, *mapping:
			return integer(0), true
		}
		return data{}, true
	case "id":
		if h, ok := hash(a.arg(0)); ok {
			return text(h), true
		}
		return data{}, true
	}
	if !isText {
		if words("hasattr getattr setattr delattr")[name] {
			return data{}, true
		}
		return nil, false
	}
	switch name {
	case "hasattr":
		return m.hasAttribute(a.arg(0), string(attr), n), true
	case "getattr":
		if len(a.vals) > 2 {
			if has, ok := m.hasAttribute(a.arg(0), string(attr), n).(integer); ok && has == 0 {
				return a.vals[2], true
			}
		}
		return m.member(a.arg(0), string(attr), n), true
	case "setattr":
		m.setAttribute(a.arg(0), string(attr), a.arg(2), n)
		return none{}, true
	case "delattr":
		if o, ok := a.arg(0).(*object); ok {
			delete(o.fields, string(attr))
		}
		return none{}, true
	}
	return nil, false
}

// subclassNamed is issubclass for one of the DSL's number types.
func subclassNamed(p path, of value) value {
	k := numberType(lastWord(string(p)))
	switch c := of.(type) {
	case *sequence:
		var out value = integer(0)
		for _, e := range c.elems {
			out = binary("||", out, subclassNamed(p, e))
		}
		return out
	case path:
		if k == nil {
			return data{}
		}
		switch short := lastWord(string(c)); short {
		case "Numeric", "object":
			return integer(1)
		case "Integer":
			return boolean(k.integer)
		case "Float":
			return boolean(k.float)
		default:
			return boolean(short == lastWord(string(p)))
		}
	}
	return data{}
}
