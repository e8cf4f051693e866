package lower

import (
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// start runs a host function that nobody calls: every parameter is given a value.
func (m *machine) start(d driver) {
	if d.class == nil {
		s := m.startMethod(&value.Closure{Fn: d.fn, Env: m.globals, Mod: m.mod}, nil)
		for _, f := range m.in.low.file.Functions { // it may make the function that launches
			if f.Outer == d.fn && s.Vars[f.Name] != nil && m.in.low.words(f).Launches(m.launch.kernel) {
				m.startMethod(&value.Closure{Fn: f, Env: s, Mod: m.mod}, nil)
			}
		}
		return
	}
	c := m.classNamed(d.class)
	self := m.made(c)
	if d.fn != nil && d.fn.Class == d.class {
		m.startMethod(&value.Closure{Fn: d.fn, Env: m.globals, Mod: m.mod, Owner: c}, self)
		return
	}
	for _, up := range c.Mro {
		for _, name := range up.Order {
			if f, ok := up.Attrs[name].(*value.Closure); ok && f.Fn != nil && !f.Fn.Kernel && (f.Fn == d.fn || d.fn == nil && m.in.low.words(f.Fn).Launches(m.launch.kernel)) {
				m.startMethod(f, self)
				return
			}
		}
	}
}

func (m *machine) startMethod(f *value.Closure, self value.Value) (s *value.Scope) {
	defer m.enter(f.Mod)()
	s = value.NewScope(f.Env, true)
	s.Owner, s.Self = f.Owner, self
	params := append([]program.Param{}, f.Fn.Params...)
	if len(params) > 0 && self != nil && !static(f.Fn) {
		s.Declare(params[0].Name, self)
		params = params[1:]
	}
	m.give(params, s)
	if m.launch.driver.fn == f.Fn {
		for name, key := range m.launch.driver.takes {
			s.Declare(name, m.eval(key, m.globals))
		}
	}
	m.trace(f.Fn, params, s)
	return s
}

// trace runs the body of a host function whose arguments are there.
func (m *machine) trace(fn *program.Function, params []program.Param, s *value.Scope) {
	m.arranged(fn, params, s)
	if syntax.Jit(fn) {
		m.traced(params, s)
		m.tracing = true
	}
	m.run(fn.Body, s)
}

// made is an object of a class that nobody makes: what its __init__ needs is given, or what its fields hold.
func (m *machine) made(c *value.Class) value.Value {
	v, _, _ := c.Find("__init__")
	init, ok := v.(*value.Closure)
	if !ok || len(init.Fn.Params) == 0 {
		a := &value.Arguments{}
		for _, f := range c.AllFields() {
			if f.Def == nil {
				a.Set(f.Name, m.ofType(f.Name, f.At.Type))
			}
		}
		return m.instance(c, a, program.Place{Span: c.Decl.Span})
	}
	defer m.enter(init.Mod)()
	o := &value.Object{Class: c, Fields: map[string]value.Value{}}
	s := value.NewScope(init.Env, true)
	s.Owner, s.Self = init.Owner, o
	s.Declare(init.Fn.Params[0].Name, o)
	m.give(init.Fn.Params[1:], s)
	m.arranged(init.Fn, init.Fn.Params[1:], s)
	m.run(init.Fn.Body, s)
	return o
}

// give declares parameters that no caller gives.
func (m *machine) give(params []program.Param, s *value.Scope) {
	for _, p := range params {
		switch {
		case p.Star == 1:
			s.Declare(p.Name, &value.Sequence{})
		case p.Star == 2:
			s.Declare(p.Name, value.NewMapping())
		default:
			s.Declare(p.Name, m.parameter(p, s))
		}
	}
}

// parameter is the value of a parameter that no caller gives: what --set says, its default, or an unknown of the kind
// that its annotation tells.
func (m *machine) parameter(p program.Param, s *value.Scope) value.Value {
	if v, ok := m.in.setting(p.Name); ok {
		return v
	}
	m.in.low.settable.Note(p.Name, false)
	if p.Default != nil && !m.in.loose[p.Name] {
		m.in.given[p.Name] = true
		return m.evalTyped(p.Default, s)
	}
	if !m.host {
		return value.Atom(p.Name)
	}
	return m.ofType(p.Name, p.Type)
}
