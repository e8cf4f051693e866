package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// lookup finds an attribute of an object, a class or super(); false where it has none.
func (m *machine) lookup(x value, name string, n program.Node) (value, bool) {
	switch x := x.(type) {
	case *object:
		if x.class == nil {
			v, ok := x.fields[name]
			return v, ok
		}
		return m.objectAttr(x, name, n)
	case *class:
		return m.classAttr(x, name)
	case superRef:
		return m.superAttr(x, name, n)
	case *enumMember:
		if v, ok := x.member(name); ok {
			return v, true
		}
		v, _, ok := x.class.find(name)
		if !ok {
			return nil, false
		}
		if p, ok := v.(property); ok {
			return m.callWith(m.bind(p.get, x, x.class), &arguments{}, n), true
		}
		return m.bind(v, x, x.class), true
	case *partial:
		switch name {
		case "func":
			return x.fun, true
		case "args":
			return &sequence{elems: x.given.vals}, true
		}
	case *exception:
		if name == "args" {
			return &sequence{elems: x.args}, true
		}
	case *closure:
		if name == "__name__" && x.fn != nil {
			return text(x.fn.Name), true
		}
		if name == "__self__" && x.self != nil {
			return x.self, true
		}
	}
	return nil, false
}

// objectAttr follows Python: properties of the class, the object's own attributes, attributes of the class, __getattr__.
func (m *machine) objectAttr(o *object, name string, n program.Node) (value, bool) {
	v, _, found := o.class.find(name)
	if p, ok := v.(property); ok {
		if own, set := o.fields[name]; set { // cached_property stores its value
			m.reads(o, name)
			return own, true
		}
		v := m.callWith(m.bind(p.get, o, o.class), &arguments{}, n)
		if p.cached {
			o.fields[name] = v
		}
		return v, true
	}
	if own, ok := o.fields[name]; ok {
		m.reads(o, name)
		return own, true
	}
	if found {
		return m.bind(v, o, o.class), true
	}
	switch name {
	case "__class__":
		return o.class, true
	case "__dict__":
		d := newMapping()
		for _, k := range o.names() {
			d.put(text(k), o.fields[k])
		}
		return d, true
	case "_replace", "_asdict":
		if o.class.namedTuple() {
			return boundMethod{o, name}, true
		}
	}
	if get, _, ok := o.class.find("__getattr__"); ok && len(name) > 0 && name[0] != '_' {
		return m.callWith(m.bind(get, o, o.class), &arguments{vals: []value{text(name)}}, n), true
	}
	return nil, false
}

// names lists an object's attributes: the fields of its class in order, then the others by name.
func (o *object) names() []string {
	var out []string
	if o.class != nil {
		for _, f := range o.class.allFields() {
			if _, ok := o.fields[f.name]; ok && !slices.Contains(out, f.name) {
				out = append(out, f.name)
			}
		}
	}
	known := len(out)
	for name := range o.fields {
		if !slices.Contains(out[:known], name) {
			out = append(out, name)
		}
	}
	slices.Sort(out[known:])
	return out
}

func (m *machine) classAttr(c *class, name string) (value, bool) {
	v, _, ok := c.find(name)
	if ok {
		switch f := v.(type) {
		case staticMethod:
			return f.fun, true
		case classMethod:
			return m.bind(f.fun, c, c), true
		}
		return v, true
	}
	switch name {
	case "__name__", "__qualname__":
		return text(c.decl.Name), true
	case "__members__":
		d := newMapping()
		for _, e := range c.members() {
			d.put(text(e.(*enumMember).name), e)
		}
		return d, c.enum
	}
	return nil, false
}

func (m *machine) superAttr(x superRef, name string, n program.Node) (value, bool) {
	own, bindTo := x.after, x.self
	switch self := x.self.(type) {
	case *object:
		own = self.class
	case *class:
		own = self
	}
	if own == nil {
		return nil, false
	}
	i := slices.Index(own.mro, x.after)
	if i < 0 {
		i = slices.IndexFunc(own.mro, func(k *class) bool { return k.decl == x.after.decl })
	}
	for _, k := range own.mro[i+1:] {
		if v, ok := k.attrs[name]; ok && name == "__new__" { // is told its class
			return v, true
		} else if ok {
			if p, ok := v.(property); ok {
				return m.callWith(m.bind(p.get, bindTo, own), &arguments{}, n), true
			}
			return m.bind(v, bindTo, own), true
		}
		if name == "__init__" && k.dataclass {
			return boundMethod{superRef{x.self, k}, name}, true
		}
	}
	switch name {
	case "__init__", "__post_init__", "__init_subclass__", "__setattr__", "__new__": // object's own
		return boundMethod{superRef{x.self, nil}, name}, true
	}
	return nil, false
}

// objectMethod is a method that every object has, or the __init__ that a dataclass was given.
func (m *machine) objectMethod(x superRef, name string, a *arguments, n program.Node) value {
	o, ok := x.self.(*object)
	switch c, of := a.arg(0).(*class); {
	case of && name == "__new__":
		return &object{class: c, fields: map[string]value{}}
	case !ok:
		return x.self
	case name == "__setattr__":
		if attr, ok := a.arg(0).(text); ok {
			m.setAttribute(o, string(attr), a.arg(1), n)
		}
	case name == "__init__" && x.after != nil:
		m.fill(o, x.after, a, n)
	}
	return none{}
}

// bind makes a method of a function found in a class.
func (m *machine) bindMethod(v, self value, c *class) value {
	switch f := v.(type) {
	case *closure:
		if f.lambda != nil && f.owner == nil && f.self == nil {
			b := *f
			b.self = self
			return &b
		}
		if f.self != nil {
			return f
		}
		b := *f
		b.self = self
		return &b
	case staticMethod:
		return f.fun
	case classMethod:
		return m.bindMethod(f.fun, c, c)
	}
	return v
}

func (m *machine) bind(v, self value, c *class) value {
	return m.bindMethod(v, self, c)
}

// dunder is a method Python calls by itself, bound to the object; nil where the object's class has none.
func (m *machine) dunder(x value, name string) value {
	o, ok := x.(*object)
	if !ok || o == nil || o.class == nil || o.class.mro == nil {
		return nil
	}
	v, _, ok := o.class.find(name)
	if !ok {
		return nil
	}
	return m.bindMethod(v, o, o.class)
}

// setAttribute is x.name = v. Assigning __class__ makes an object an instance of another class.
func (m *machine) setAttribute(x value, name string, v value, n program.Node) {
	switch x := x.(type) {
	case *object:
		if c, ok := v.(*class); ok && name == "__class__" {
			x.class = c
			return
		}
		if x.class != nil {
			if p, _, ok := x.class.find(name); ok {
				if p, ok := p.(property); ok && p.set != nil {
					m.callWith(m.bindMethod(p.set, x, x.class), &arguments{vals: []value{v}}, n)
					return
				}
			}
		}
		if old := x.fields[name]; old != nil {
			m.replaces(x, old, v, n)
		}
		x.fields[name] = v
	case *class:
		m.watch.changes(x)
		if x.attrs != nil {
			if _, old := x.attrs[name]; !old {
				x.order = append(x.order, name)
			}
			x.attrs[name] = v
		}
	case symbol:
		if m.host && name == elementType[1:] && bitsOf(v) > 0 {
			m.in.types[x.expr.String()] = v
		}
	}
}

// asSequence gives the elements of a value that is a tuple: a sequence or an instance of a named tuple.
func asSequence(v value) (*sequence, bool) {
	switch v := v.(type) {
	case *sequence:
		return v, true
	case *object:
		if v.class != nil && v.class.namedTuple() {
			out := &sequence{}
			for _, f := range v.class.allFields() {
				out.elems = append(out.elems, v.fields[f.name])
			}
			return out, true
		}
	}
	return nil, false
}
