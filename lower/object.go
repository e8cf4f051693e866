package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// lookup finds an attribute of an object, a class or super(); false where it has none.
func (m *machine) lookup(x value.Value, name string, n program.Node) (value.Value, bool) {
	switch x := x.(type) {
	case *value.Object:
		if x.Class == nil {
			v, ok := x.Fields[name]
			return v, ok
		}
		return m.objectAttr(x, name, n)
	case *value.Class:
		return m.classAttr(x, name)
	case value.SuperRef:
		return m.superAttr(x, name, n)
	case *value.EnumMember:
		if v, ok := x.Member(name); ok {
			return v, true
		}
		v, _, ok := x.Class.Find(name)
		if !ok {
			return nil, false
		}
		if p, ok := v.(value.Property); ok {
			return m.callWith(m.bind(p.Get, x, x.Class), &value.Arguments{}, n), true
		}
		return m.bind(v, x, x.Class), true
	case *value.PartialCall:
		switch name {
		case "func":
			return x.Fun, true
		case "args":
			return &value.Sequence{Elems: x.Given.Vals}, true
		}
	case *value.Exception:
		if name == "args" {
			return &value.Sequence{Elems: x.Args}, true
		}
	case *value.Closure:
		if name == "__name__" && x.Fn != nil {
			return value.Text(x.Fn.Name), true
		}
		if name == "__self__" && x.Self != nil {
			return x.Self, true
		}
	}
	return nil, false
}

// objectAttr follows Python: properties of the class, the object's own attributes, attributes of the class, __getattr__.
func (m *machine) objectAttr(o *value.Object, name string, n program.Node) (value.Value, bool) {
	v, _, found := o.Class.Find(name)
	if p, ok := v.(value.Property); ok {
		if own, set := o.Fields[name]; set { // cached_property stores its value
			m.inquiry.Reads(o, name)
			return own, true
		}
		v := m.callWith(m.bind(p.Get, o, o.Class), &value.Arguments{}, n)
		if p.Cached {
			o.Put(name, v)
		}
		return v, true
	}
	if own, ok := o.Fields[name]; ok {
		m.inquiry.Reads(o, name)
		return own, true
	}
	if found {
		return m.bind(v, o, o.Class), true
	}
	switch name {
	case "__class__":
		return o.Class, true
	case "__dict__":
		d := value.NewMapping()
		for _, k := range o.Names() {
			d.Put(value.Text(k), o.Fields[k])
		}
		return d, true
	case "_replace", "_asdict":
		if o.Class.NamedTuple() {
			return value.BoundMethod{Self: o, Name: name}, true
		}
	}
	if get, _, ok := o.Class.Find("__getattr__"); ok && len(name) > 0 && name[0] != '_' {
		return m.callWith(m.bind(get, o, o.Class), &value.Arguments{Vals: []value.Value{value.Text(name)}}, n), true
	}
	return nil, false
}

func (m *machine) classAttr(c *value.Class, name string) (value.Value, bool) {
	v, _, ok := c.Find(name)
	if ok {
		switch f := v.(type) {
		case value.StaticMethod:
			return f.Fun, true
		case value.ClassMethod:
			return m.bind(f.Fun, c, c), true
		}
		return v, true
	}
	switch name {
	case "__name__", "__qualname__":
		return value.Text(c.Decl.Name), true
	case "__members__":
		d := value.NewMapping()
		for _, e := range c.Members() {
			d.Put(value.Text(e.(*value.EnumMember).Name), e)
		}
		return d, c.Enum
	}
	return nil, false
}

func (m *machine) superAttr(x value.SuperRef, name string, n program.Node) (value.Value, bool) {
	own, bindTo := x.After, x.Self
	switch self := x.Self.(type) {
	case *value.Object:
		own = self.Class
	case *value.Class:
		own = self
	}
	if own == nil {
		return nil, false
	}
	i := slices.Index(own.Mro, x.After)
	if i < 0 {
		i = slices.IndexFunc(own.Mro, func(k *value.Class) bool { return k.Decl == x.After.Decl })
	}
	for _, k := range own.Mro[i+1:] {
		if v, ok := k.Attrs[name]; ok && name == "__new__" { // is told its class
			return v, true
		} else if ok {
			if p, ok := v.(value.Property); ok {
				return m.callWith(m.bind(p.Get, bindTo, own), &value.Arguments{}, n), true
			}
			return m.bind(v, bindTo, own), true
		}
		if name == "__init__" && k.Dataclass {
			return value.BoundMethod{Self: value.SuperRef{Self: x.Self, After: k}, Name: name}, true
		}
	}
	switch name {
	case "__init__", "__post_init__", "__init_subclass__", "__setattr__", "__new__": // object's own
		return value.BoundMethod{Self: value.SuperRef{Self: x.Self, After: nil}, Name: name}, true
	}
	return nil, false
}

// objectMethod is a method that every object has, or the __init__ that a dataclass was given.
func (m *machine) objectMethod(x value.SuperRef, name string, a *value.Arguments, n program.Node) value.Value {
	o, ok := x.Self.(*value.Object)
	switch c, of := a.Arg(0).(*value.Class); {
	case of && name == "__new__":
		return &value.Object{Class: c, Fields: map[string]value.Value{}}
	case !ok:
		return x.Self
	case name == "__setattr__":
		if attr, ok := a.Arg(0).(value.Text); ok {
			m.setAttribute(o, string(attr), a.Arg(1), n)
		}
	case name == "__init__" && x.After != nil:
		m.fill(o, x.After, a, n)
	}
	return value.None{}
}

// bind makes a method of a function found in a class.
func (m *machine) bindMethod(v, self value.Value, c *value.Class) value.Value {
	switch f := v.(type) {
	case *value.Closure:
		if f.Lambda != nil && f.Owner == nil && f.Self == nil {
			b := *f
			b.Self = self
			return &b
		}
		if f.Self != nil {
			return f
		}
		b := *f
		b.Self = self
		return &b
	case value.StaticMethod:
		return f.Fun
	case value.ClassMethod:
		return m.bindMethod(f.Fun, c, c)
	}
	return v
}

func (m *machine) bind(v, self value.Value, c *value.Class) value.Value {
	return m.bindMethod(v, self, c)
}

// dunder is a method Python calls by itself, bound to the object; nil where the object's class has none.
func (m *machine) dunder(x value.Value, name string) value.Value {
	o, ok := x.(*value.Object)
	if !ok || o == nil || o.Class == nil || o.Class.Mro == nil {
		return nil
	}
	v, _, ok := o.Class.Find(name)
	if !ok {
		return nil
	}
	return m.bindMethod(v, o, o.Class)
}

// setAttribute is x.name = v. Assigning __class__ makes an object an instance of another class.
func (m *machine) setAttribute(x value.Value, name string, v value.Value, n program.Node) {
	switch x := x.(type) {
	case *value.Object:
		if c, ok := v.(*value.Class); ok && name == "__class__" {
			x.Class = c
			return
		}
		if x.Class != nil {
			if p, _, ok := x.Class.Find(name); ok {
				if p, ok := p.(value.Property); ok && p.Set != nil {
					m.callWith(m.bindMethod(p.Set, x, x.Class), &value.Arguments{Vals: []value.Value{v}}, n)
					return
				}
			}
		}
		if old := x.Fields[name]; old != nil {
			m.replaces(x, old, v, n)
		}
		x.Put(name, v)
	case *value.Class:
		m.watch.changes(x)
		if x.Attrs != nil {
			if _, old := x.Attrs[name]; !old {
				x.Order = append(x.Order, name)
			}
			x.Attrs[name] = v
		}
	case value.Symbol:
		if m.host && name == value.ElementType[1:] && value.BitsOf(v) > 0 {
			m.in.types[x.Expr.String()] = v
		}
	}
}
