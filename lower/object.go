package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// lookup finds an attribute of an object, a class or super(); false where it has none.
func (m *machine) lookup(x Value, name string, n program.Node) (Value, bool) {
	switch x := x.(type) {
	case *Object:
		if x.Class == nil {
			v, ok := x.Fields[name]
			return v, ok
		}
		return m.objectAttr(x, name, n)
	case *Class:
		return m.classAttr(x, name)
	case SuperRef:
		return m.superAttr(x, name, n)
	case *EnumMember:
		if v, ok := x.Member(name); ok {
			return v, true
		}
		v, _, ok := x.Class.Find(name)
		if !ok {
			return nil, false
		}
		if p, ok := v.(Property); ok {
			return m.callWith(m.bind(p.Get, x, x.Class), &Arguments{}, n), true
		}
		return m.bind(v, x, x.Class), true
	case *PartialCall:
		switch name {
		case "func":
			return x.Fun, true
		case "args":
			return &Sequence{Elems: x.Given.Vals}, true
		}
	case *Exception:
		if name == "args" {
			return &Sequence{Elems: x.Args}, true
		}
	case *Closure:
		if name == "__name__" && x.Fn != nil {
			return Text(x.Fn.Name), true
		}
		if name == "__self__" && x.Self != nil {
			return x.Self, true
		}
	}
	return nil, false
}

// objectAttr follows Python: properties of the class, the object's own attributes, attributes of the class, __getattr__.
func (m *machine) objectAttr(o *Object, name string, n program.Node) (Value, bool) {
	v, _, found := o.Class.Find(name)
	if p, ok := v.(Property); ok {
		if own, set := o.Fields[name]; set { // cached_property stores its value
			m.reads(o, name)
			return own, true
		}
		v := m.callWith(m.bind(p.Get, o, o.Class), &Arguments{}, n)
		if p.Cached {
			o.Fields[name] = v
		}
		return v, true
	}
	if own, ok := o.Fields[name]; ok {
		m.reads(o, name)
		return own, true
	}
	if found {
		return m.bind(v, o, o.Class), true
	}
	switch name {
	case "__class__":
		return o.Class, true
	case "__dict__":
		d := NewMapping()
		for _, k := range o.Names() {
			d.Put(Text(k), o.Fields[k])
		}
		return d, true
	case "_replace", "_asdict":
		if o.Class.NamedTuple() {
			return BoundMethod{Self: o, Name: name}, true
		}
	}
	if get, _, ok := o.Class.Find("__getattr__"); ok && len(name) > 0 && name[0] != '_' {
		return m.callWith(m.bind(get, o, o.Class), &Arguments{Vals: []Value{Text(name)}}, n), true
	}
	return nil, false
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

func (m *machine) classAttr(c *Class, name string) (Value, bool) {
	v, _, ok := c.Find(name)
	if ok {
		switch f := v.(type) {
		case StaticMethod:
			return f.Fun, true
		case ClassMethod:
			return m.bind(f.Fun, c, c), true
		}
		return v, true
	}
	switch name {
	case "__name__", "__qualname__":
		return Text(c.Decl.Name), true
	case "__members__":
		d := NewMapping()
		for _, e := range c.Members() {
			d.Put(Text(e.(*EnumMember).Name), e)
		}
		return d, c.Enum
	}
	return nil, false
}

func (m *machine) superAttr(x SuperRef, name string, n program.Node) (Value, bool) {
	own, bindTo := x.After, x.Self
	switch self := x.Self.(type) {
	case *Object:
		own = self.Class
	case *Class:
		own = self
	}
	if own == nil {
		return nil, false
	}
	i := slices.Index(own.Mro, x.After)
	if i < 0 {
		i = slices.IndexFunc(own.Mro, func(k *Class) bool { return k.Decl == x.After.Decl })
	}
	for _, k := range own.Mro[i+1:] {
		if v, ok := k.Attrs[name]; ok && name == "__new__" { // is told its class
			return v, true
		} else if ok {
			if p, ok := v.(Property); ok {
				return m.callWith(m.bind(p.Get, bindTo, own), &Arguments{}, n), true
			}
			return m.bind(v, bindTo, own), true
		}
		if name == "__init__" && k.Dataclass {
			return BoundMethod{Self: SuperRef{Self: x.Self, After: k}, Name: name}, true
		}
	}
	switch name {
	case "__init__", "__post_init__", "__init_subclass__", "__setattr__", "__new__": // object's own
		return BoundMethod{Self: SuperRef{Self: x.Self, After: nil}, Name: name}, true
	}
	return nil, false
}

// objectMethod is a method that every object has, or the __init__ that a dataclass was given.
func (m *machine) objectMethod(x SuperRef, name string, a *Arguments, n program.Node) Value {
	o, ok := x.Self.(*Object)
	switch c, of := a.Arg(0).(*Class); {
	case of && name == "__new__":
		return &Object{Class: c, Fields: map[string]Value{}}
	case !ok:
		return x.Self
	case name == "__setattr__":
		if attr, ok := a.Arg(0).(Text); ok {
			m.setAttribute(o, string(attr), a.Arg(1), n)
		}
	case name == "__init__" && x.After != nil:
		m.fill(o, x.After, a, n)
	}
	return None{}
}

// bind makes a method of a function found in a class.
func (m *machine) bindMethod(v, self Value, c *Class) Value {
	switch f := v.(type) {
	case *Closure:
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
	case StaticMethod:
		return f.Fun
	case ClassMethod:
		return m.bindMethod(f.Fun, c, c)
	}
	return v
}

func (m *machine) bind(v, self Value, c *Class) Value {
	return m.bindMethod(v, self, c)
}

// dunder is a method Python calls by itself, bound to the object; nil where the object's class has none.
func (m *machine) dunder(x Value, name string) Value {
	o, ok := x.(*Object)
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
func (m *machine) setAttribute(x Value, name string, v Value, n program.Node) {
	switch x := x.(type) {
	case *Object:
		if c, ok := v.(*Class); ok && name == "__class__" {
			x.Class = c
			return
		}
		if x.Class != nil {
			if p, _, ok := x.Class.Find(name); ok {
				if p, ok := p.(Property); ok && p.Set != nil {
					m.callWith(m.bindMethod(p.Set, x, x.Class), &Arguments{Vals: []Value{v}}, n)
					return
				}
			}
		}
		if old := x.Fields[name]; old != nil {
			m.replaces(x, old, v, n)
		}
		x.Fields[name] = v
	case *Class:
		m.watch.changes(x)
		if x.Attrs != nil {
			if _, old := x.Attrs[name]; !old {
				x.Order = append(x.Order, name)
			}
			x.Attrs[name] = v
		}
	case Symbol:
		if m.host && name == ElementType[1:] && BitsOf(v) > 0 {
			m.in.types[x.Expr.String()] = v
		}
	}
}

// AsSequence gives the elements of a value that is a tuple: a sequence or an instance of a named tuple.
func AsSequence(v Value) (*Sequence, bool) {
	switch v := v.(type) {
	case *Sequence:
		return v, true
	case *Object:
		if v.Class != nil && v.Class.NamedTuple() {
			out := &Sequence{}
			for _, f := range v.Class.AllFields() {
				out.Elems = append(out.Elems, v.Fields[f.Name])
			}
			return out, true
		}
	}
	return nil, false
}
