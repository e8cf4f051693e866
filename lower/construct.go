package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// instance makes an object of a class: by __init__, as a dataclass, or an enumeration's member.
func (m *machine) instance(c *value.Class, a *value.Arguments, n program.Node) value.Value {
	if m.depth++; m.depth > maxDepth {
		m.stop(n, limit.Size, "objects nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if c.Enum {
		e, ok := c.EnumOf(a.Arg(0))
		if _, unknown := a.Arg(0).(value.Data); !ok && !unknown && m.host {
			m.throw(n, "ValueError", value.Canonical(a.Arg(0))+" is not a valid "+c.Decl.Name)
		}
		return e
	}
	if value.Hooked(c) {
		m.swallows(n, a.All()...)
		return value.Data{}
	}
	o := &value.Object{Class: c, Fields: map[string]value.Value{}}
	if make, of, ok := c.Find("__new__"); ok {
		if f, static := make.(value.StaticMethod); static {
			make = f.Fun
		}
		v := m.callWith(m.bindMethod(make, c, of), a, n)
		if o, ok = v.(*value.Object); !ok || o.Class == nil || !o.Class.DerivedFrom(c) {
			return v
		}
	}
	m.initialize(o, o.Class.Mro, a, n)
	return o
}

// initialize runs the first __init__ along the classes; a dataclass has one of its own making.
func (m *machine) initialize(o *value.Object, along []*value.Class, a *value.Arguments, n program.Node) {
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
			o.Put(name, a.Named[i])
		}
	}
}

// fill is the __init__ of a dataclass.
func (m *machine) fill(o *value.Object, c *value.Class, a *value.Arguments, n program.Node) {
	used := 0
	for _, f := range c.AllFields() {
		spec, _ := f.Def.(*fieldSpec)
		if spec != nil && spec.noInit {
			if v := spec.make(m, n); v != nil {
				o.Put(f.Name, v)
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
			v = value.Atom(f.Name)
		case spec != nil:
			v = spec.make(m, n)
		default:
			v = m.leftOut(c, f)
		}
		if v == nil {
			v = value.Atom(f.Name)
		}
		o.Put(f.Name, v)
	}
	if post := m.dunder(o, "__post_init__"); post != nil {
		m.callWith(post, &value.Arguments{}, n)
	}
}

// fieldSpec is dataclasses.field(…).
type fieldSpec struct {
	def, factory value.Value
	noInit       bool
}

func (f *fieldSpec) make(m *machine, n program.Node) value.Value {
	if f.factory != nil {
		return m.callWith(f.factory, &value.Arguments{}, n)
	}
	return f.def
}

// replaced is a copy of an object with other values for some fields: dataclasses.replace, NamedTuple._replace. The
// DSL's dataclasses derive fields in __post_init__, which runs again.
func (m *machine) replaced(o *value.Object, a *value.Arguments, n program.Node) value.Value {
	if o.Class == nil {
		return value.Data{}
	}
	given := &value.Arguments{Open: a.Open}
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
func (m *machine) dataclassFunction(name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	o, isObject := a.Arg(0).(*value.Object)
	switch name {
	case "field":
		f := &fieldSpec{def: a.Get(-1, "default"), factory: a.Get(-1, "default_factory")}
		if init, ok := a.Or(-1, "init", value.Int(1)).(value.Int); ok && init == 0 {
			f.noInit = true
		}
		return f, true
	case "replace":
		if isObject {
			return m.replaced(o, &value.Arguments{Names: a.Names, Named: a.Named, Open: a.Open}, n), true
		}
	case "asdict", "astuple", "fields":
		if c, ok := a.Arg(0).(*value.Class); ok && name == "fields" {
			o, isObject = &value.Object{Class: c}, true
		}
		if isObject && o.Class != nil {
			return value.ListFields(name, o), true
		}
	case "is_dataclass":
		return value.Bool(isObject && o.Class != nil && slices.ContainsFunc(o.Class.Mro, func(k *value.Class) bool { return k.Dataclass })), true
	}
	return nil, false
}
