package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// instance makes an object of a class: by __init__, as a dataclass, or an enumeration's member.
func (m *machine) instance(c *Class, a *Arguments, n program.Node) Value {
	if m.depth++; m.depth > maxDepth {
		m.stop(n, limit.Size, "objects nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if c.Enum {
		e, ok := c.EnumOf(a.Arg(0))
		if _, unknown := a.Arg(0).(Data); !ok && !unknown && m.host {
			m.throw(n, "ValueError", Canonical(a.Arg(0))+" is not a valid "+c.Decl.Name)
		}
		return e
	}
	if Hooked(c) {
		m.swallows(n, a.All()...)
		return Data{}
	}
	o := &Object{Class: c, Fields: map[string]Value{}}
	if make, of, ok := c.Find("__new__"); ok {
		if f, static := make.(StaticMethod); static {
			make = f.Fun
		}
		v := m.callWith(m.bindMethod(make, c, of), a, n)
		if o, ok = v.(*Object); !ok || o.Class == nil || !o.Class.DerivedFrom(c) {
			return v
		}
	}
	m.initialize(o, o.Class.Mro, a, n)
	return o
}

// initialize runs the first __init__ along the classes; a dataclass has one of its own making.
func (m *machine) initialize(o *Object, along []*Class, a *Arguments, n program.Node) {
	for _, k := range along {
		if init, ok := k.Attrs["__init__"]; ok {
			m.callWith(m.bindMethod(init, o, o.Class), a, n)
			return
		}
		if k.Dataclass {
			m.fill(o, k, a, n)
			return
		}
	}
	// A base that is not modelled may make dataclasses of those derived from it, or be one.
	switch {
	case len(o.Class.Fields) > 0 && len(a.Vals)+len(a.Names) > 0:
		m.fill(o, o.Class, a, n)
	case len(o.Class.Outside()) > 0:
		for i, name := range a.Names {
			o.Fields[name] = a.Named[i]
		}
	}
}

// AllFields are the annotated fields of a class and its bases, the bases' first.
func (c *Class) AllFields() []ClassField {
	if len(c.Mro) == 1 {
		return c.Fields
	}
	var out []ClassField
	for i := len(c.Mro) - 1; i >= 0; i-- {
		for _, f := range c.Mro[i].Fields {
			if k := slices.IndexFunc(out, func(g ClassField) bool { return g.Name == f.Name }); k >= 0 {
				out[k] = f
			} else {
				out = append(out, f)
			}
		}
	}
	return out
}

// fill is the __init__ of a dataclass.
func (m *machine) fill(o *Object, c *Class, a *Arguments, n program.Node) {
	used := 0
	for _, f := range c.AllFields() {
		spec, _ := f.Def.(*fieldSpec)
		if spec != nil && spec.noInit {
			if v := spec.make(m, n); v != nil {
				o.Fields[f.Name] = v
			}
			continue
		}
		v := a.Get(used, f.Name)
		if used < len(a.Vals) {
			used++
		}
		switch {
		case v != nil:
		case a.Open:
			v = Atom(f.Name)
		case spec != nil:
			v = spec.make(m, n)
		default:
			v = m.leftOut(c, f)
		}
		if v == nil {
			v = Atom(f.Name)
		}
		o.Fields[f.Name] = v
	}
	if post := m.dunder(o, "__post_init__"); post != nil {
		m.callWith(post, &Arguments{}, n)
	}
}

// fieldSpec is dataclasses.field(…).
type fieldSpec struct {
	def, factory Value
	noInit       bool
}

func (f *fieldSpec) make(m *machine, n program.Node) Value {
	if f.factory != nil {
		return m.callWith(f.factory, &Arguments{}, n)
	}
	return f.def
}

// replaced is a copy of an object with other values for some fields: dataclasses.replace, NamedTuple._replace. The
// DSL's dataclasses derive fields in __post_init__, which runs again.
func (m *machine) replaced(o *Object, a *Arguments, n program.Node) Value {
	if o.Class == nil {
		return Data{}
	}
	given := &Arguments{Open: a.Open}
	for _, f := range o.Class.AllFields() {
		if spec, ok := f.Def.(*fieldSpec); ok && spec.noInit {
			continue
		}
		if v, ok := o.Fields[f.Name]; ok {
			given.Set(f.Name, v)
		}
	}
	for i, name := range a.Names {
		given.Set(name, a.Named[i])
	}
	return m.instance(o.Class, given, n)
}

// dataclassFunction evaluates the functions of Python's dataclasses module.
func (m *machine) dataclassFunction(name string, a *Arguments, n program.Node) (Value, bool) {
	o, isObject := a.Arg(0).(*Object)
	switch name {
	case "field":
		f := &fieldSpec{def: a.Get(-1, "default"), factory: a.Get(-1, "default_factory")}
		if init, ok := a.Or(-1, "init", Int(1)).(Int); ok && init == 0 {
			f.noInit = true
		}
		return f, true
	case "replace":
		if isObject {
			return m.replaced(o, &Arguments{Names: a.Names, Named: a.Named, Open: a.Open}, n), true
		}
	case "asdict", "astuple", "fields":
		if c, ok := a.Arg(0).(*Class); ok && name == "fields" {
			o, isObject = &Object{Class: c}, true
		}
		if isObject && o.Class != nil {
			return listFields(name, o), true
		}
	case "is_dataclass":
		return Bool(isObject && o.Class != nil && slices.ContainsFunc(o.Class.Mro, func(k *Class) bool { return k.Dataclass })), true
	}
	return nil, false
}

func listFields(name string, o *Object) Value {
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
