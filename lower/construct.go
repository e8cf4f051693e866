package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// instance makes an object of a class: by __init__, as a dataclass, an enumeration's member, or a C++ aggregate.
func (m *machine) instance(c *class, a *arguments, n program.Node) value {
	if m.depth++; m.depth > maxDepth {
		m.stop(n, "objects nested deeper than %d", maxDepth)
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
	if post := m.dunder(o, "__post_init__", n); post != nil {
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

// aggregate makes an object of a C++ class: its members from the arguments, or by a constructor.
func (m *machine) aggregate(c *class, a *arguments, n program.Node) value {
	m.unseen(c, n)
	o := m.members(c)
	given := func(k int) value {
		if a.vals[k] == nil {
			return a.refs[k].get()
		}
		return a.vals[k]
	}
	if m.construct(o, c, a, n) {
		return o
	}
	if len(a.vals) == 1 {
		if x, ok := given(0).(*object); ok && !laid(x) && slices.Contains(m.lineage(x.class), c.decl) {
			m.replaceMembers(o, x)
			return o
		}
	}
	k := 0
	for _, f := range c.decl.Fields {
		for _, t := range f.Targets {
			id, ok := t.(*program.Name)
			if !ok || f.Const || k >= len(a.vals) { // a constant of the class is no part of the object
				continue
			}
			v := given(k)
			if k++; len(f.Dims) > 0 {
				v = m.copied(v)
			}
			m.setMember(o, f, id.Ident, m.initialises(f.Type, v, nil, c.scope(m)))
		}
	}
	return o
}

// construct runs the constructor of a class of C++ for an object, after those of the bases that it does not run itself (C++17
// [class.base.init]); false where none is written.
func (m *machine) construct(o *object, c *class, a *arguments, n program.Node) bool {
	if m.depth++; m.depth > maxDepth {
		m.stop(n, "classes nested deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	init := m.constructing(c, a, n)
	for _, b := range c.decl.Bases {
		if id, ok := b.(*program.Name); ok && m.mod.classes[id.Ident] != nil && !runs(init, id.Ident) && !runs(init, c.decl.Name) {
			m.construct(o, &class{decl: m.mod.classes[id.Ident], mod: c.mod}, &arguments{}, n)
		}
	}
	if init != nil {
		m.invoke(&closure{fn: init, env: c.scope(m), mod: c.mod, self: o}, a, n)
	}
	return init != nil
}

// runs reports whether a constructor runs one of that class for its object.
func runs(init *program.Function, name string) bool {
	return init != nil && slices.ContainsFunc(init.Body, func(st program.Stmt) bool {
		x, ok := st.(*program.ExprStmt)
		if !ok {
			return false
		}
		call, ok := x.X.(*program.Call)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*program.Attr)
		return ok && f.Name == name && namedExpr(f.X, "this")
	})
}

// members makes an object of a C++ class whose members are what they are before anyone sets them.
func (m *machine) members(c *class) *object {
	o := &object{class: c, fields: map[string]value{}, as: map[string]*declared{}}
	all := m.lineage(c)
	for i := len(all) - 1; i > 0; i-- { // those of bases first
		base := m.members(&class{decl: all[i], mod: c.mod})
		maps.Copy(o.fields, base.fields)
		maps.Copy(o.as, base.as)
	}
	for _, f := range c.decl.Fields {
		for _, t := range f.Targets {
			if id, ok := t.(*program.Name); ok {
				if len(f.Dims) == 0 {
					o.as[id.Ident] = m.declares(f.Type, c.scope(m))
				}
				m.setMember(o, f, id.Ident, m.initial(c, f))
			}
		}
	}
	return o
}

func (m *machine) setMember(o *object, f *program.Assign, name string, v value) {
	if seq, ok := v.(*sequence); ok && len(f.Dims) > 0 {
		m.in.arrays[seq] = m.declares(f.Type, o.class.scope(m))
	}
	o.fields[name] = o.as[name].of(v)
}

// constructing is the constructor of a C++ class that runs for what it is given; nil where none is written that does.
func (m *machine) constructing(c *class, a *arguments, n program.Node) *program.Function {
	all := slices.DeleteFunc(slices.Clone(c.decl.Methods), func(f *program.Function) bool { return f.Name != c.decl.Name || f.Outer != nil })
	given := slices.Clone(a.vals)
	for i, l := range a.refs {
		if l != nil {
			given[i] = l.get()
		}
	}
	fits := slices.DeleteFunc(slices.Clone(all), func(f *program.Function) bool { return !takesCount(f, len(given)) })
	if len(given) == 1 && !isData(given[0]) {
		x, ok := given[0].(*object)
		same, copies := ok && !laid(x) && slices.Contains(m.lineage(x.class), c.decl), m.copiers(c)
		fits = slices.DeleteFunc(fits, func(f *program.Function) bool { return slices.Contains(copies, f) != same })
		if same && len(fits) == 0 {
			return nil
		}
	}
	if len(fits) > 1 {
		if exact := slices.DeleteFunc(slices.Clone(fits), func(f *program.Function) bool { return !m.takesTypes(f, given, c.scope(m)) }); len(exact) > 0 {
			fits = exact
		}
	}
	switch {
	case len(all) == 0, len(fits) == 0 && len(given) == 0: // that of the language
		return nil
	case len(fits) == 0 && !m.host, slices.ContainsFunc(fits, func(f *program.Function) bool { return !sameText(c.mod.file, f, fits[0]) }):
		m.stop(n, "which constructor of %s runs is not known", clip(c.decl.Name))
	case len(fits) == 0:
		return all[0]
	}
	for i, p := range fits[0].Params {
		if i < len(a.refs) && a.refs[i] != nil && !p.Ref {
			a.vals[i], a.refs[i] = m.initialises(p.Type, given[i], nil, c.scope(m)), nil
		}
	}
	return fits[0]
}

// takesTypes reports whether values have the very types of a function's parameters.
func (m *machine) takesTypes(f *program.Function, given []value, s *scope) bool {
	if len(f.Params) != len(given) || len(f.Template) > 0 {
		return false
	}
	for i, v := range given {
		typ := ""
		switch v := v.(type) {
		case word:
			typ = fmt.Sprint(v.t)
		case integer, lanes:
			typ = m.writtenType("int", s)
		case *object:
			typ = v.class.decl.Name
		}
		if typ == "" || typ != m.writtenType(f.Params[i].Type, s) {
			return false
		}
	}
	return true
}

// initial is the value a C++ field has before anyone sets it.
func (m *machine) initial(of *class, f *program.Assign) value {
	defer m.enter(of.mod)()
	if f.Value != nil {
		return m.evalTyped(f.Value, of.scope(m))
	}
	return m.zero(f, of.scope(m))
}

// constructor are the parameters of the constructors of a C++ class that take so many arguments: references where one of
// them has one.
func (m *machine) constructor(c *class, count int) (out []program.Param) {

	return nil

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
