package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// instance makes an object of a class: by __init__, as a dataclass, or an enumeration's member.
func (m *machine) instance(c *class, a *arguments, n program.Node) value {
	if m.depth++; m.depth > maxDepth {
		m.stop(n, limit.Size, "objects nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	if c.enum {
		e, ok := c.enumOf(a.arg(0))
		if _, unknown := a.arg(0).(data); !ok && !unknown && m.host {
			m.throw(n, "ValueError", canonical(a.arg(0))+" is not a valid "+c.decl.Name)
		}
		return e
	}
	if hooked(c) {
		m.swallows(n, a.all()...)
		return data{}
	}
	o := &object{class: c, fields: map[string]value{}}
	if make, of, ok := c.find("__new__"); ok {
		if f, static := make.(staticMethod); static {
			make = f.fun
		}
		v := m.callWith(m.bindMethod(make, c, of), a, n)
		if o, ok = v.(*object); !ok || o.class == nil || !o.class.derivedFrom(c) {
			return v
		}
	}
	m.initialize(o, o.class.mro, a, n)
	return o
}

// initialize runs the first __init__ along the classes; a dataclass has one of its own making.
func (m *machine) initialize(o *object, along []*class, a *arguments, n program.Node) {
	for _, k := range along {
		if init, ok := k.attrs["__init__"]; ok {
			m.callWith(m.bindMethod(init, o, o.class), a, n)
			return
		}
		if k.dataclass {
			m.fill(o, k, a, n)
			return
		}
	}
	// A base that is not modelled may make dataclasses of those derived from it, or be one.
	switch {
	case len(o.class.fields) > 0 && len(a.vals)+len(a.names) > 0:
		m.fill(o, o.class, a, n)
	case len(o.class.outside()) > 0:
		for i, name := range a.names {
			o.fields[name] = a.named[i]
		}
	}
}

// allFields are the annotated fields of a class and its bases, the bases' first.
func (c *class) allFields() []classField {
	if len(c.mro) == 1 {
		return c.fields
	}
	var out []classField
	for i := len(c.mro) - 1; i >= 0; i-- {
		for _, f := range c.mro[i].fields {
			if k := slices.IndexFunc(out, func(g classField) bool { return g.name == f.name }); k >= 0 {
				out[k] = f
			} else {
				out = append(out, f)
			}
		}
	}
	return out
}

// fill is the __init__ of a dataclass.
func (m *machine) fill(o *object, c *class, a *arguments, n program.Node) {
	used := 0
	for _, f := range c.allFields() {
		spec, _ := f.def.(*fieldSpec)
		if spec != nil && spec.noInit {
			if v := spec.make(m, n); v != nil {
				o.fields[f.name] = v
			}
			continue
		}
		v := a.get(used, f.name)
		if used < len(a.vals) {
			used++
		}
		switch {
		case v != nil:
		case a.open:
			v = atom(f.name)
		case spec != nil:
			v = spec.make(m, n)
		default:
			v = m.leftOut(c, f)
		}
		if v == nil {
			v = atom(f.name)
		}
		o.fields[f.name] = v
	}
	if post := m.dunder(o, "__post_init__"); post != nil {
		m.callWith(post, &arguments{}, n)
	}
}

// fieldSpec is dataclasses.field(…).
type fieldSpec struct {
	def, factory value
	noInit       bool
}

func (f *fieldSpec) make(m *machine, n program.Node) value {
	if f.factory != nil {
		return m.callWith(f.factory, &arguments{}, n)
	}
	return f.def
}

// replaced is a copy of an object with other values for some fields: dataclasses.replace, NamedTuple._replace. The
// DSL's dataclasses derive fields in __post_init__, which runs again.
func (m *machine) replaced(o *object, a *arguments, n program.Node) value {
	if o.class == nil {
		return data{}
	}
	given := &arguments{open: a.open}
	for _, f := range o.class.allFields() {
		if spec, ok := f.def.(*fieldSpec); ok && spec.noInit {
			continue
		}
		if v, ok := o.fields[f.name]; ok {
			given.set(f.name, v)
		}
	}
	for i, name := range a.names {
		given.set(name, a.named[i])
	}
	return m.instance(o.class, given, n)
}

// dataclassFunction evaluates the functions of Python's dataclasses module.
func (m *machine) dataclassFunction(name string, a *arguments, n program.Node) (value, bool) {
	o, isObject := a.arg(0).(*object)
	switch name {
	case "field":
		f := &fieldSpec{def: a.get(-1, "default"), factory: a.get(-1, "default_factory")}
		if init, ok := a.or(-1, "init", integer(1)).(integer); ok && init == 0 {
			f.noInit = true
		}
		return f, true
	case "replace":
		if isObject {
			return m.replaced(o, &arguments{names: a.names, named: a.named, open: a.open}, n), true
		}
	case "asdict", "astuple", "fields":
		if c, ok := a.arg(0).(*class); ok && name == "fields" {
			o, isObject = &object{class: c}, true
		}
		if isObject && o.class != nil {
			return listFields(name, o), true
		}
	case "is_dataclass":
		return boolean(isObject && o.class != nil && slices.ContainsFunc(o.class.mro, func(k *class) bool { return k.dataclass })), true
	}
	return nil, false
}

func listFields(name string, o *object) value {
	d, list := newMapping(), &sequence{}
	for _, f := range o.class.allFields() {
		d.put(text(f.name), o.fields[f.name])
		if name == "fields" {
			list.elems = append(list.elems, &object{fields: map[string]value{"name": text(f.name)}})
		} else {
			list.elems = append(list.elems, o.fields[f.name])
		}
	}
	if name == "asdict" {
		return d
	}
	return list
}
