package lower

import "github.com/fencepost-dev/fencepost/program"

// start runs a host function that nobody calls: every parameter is given a value.
func (m *machine) start(d driver) {
	if d.class == nil {
		s := newScope(m.globals, true)
		params := append([]program.Param{}, d.fn.Params...)
		m.give(params, s)
		m.trace(d.fn, params, s)
		return
	}
	c := m.classNamed(d.class)
	self := m.made(c)
	if d.fn != nil && d.fn.Class == d.class {
		m.startMethod(&closure{fn: d.fn, env: m.globals, mod: m.mod, owner: c}, self)
		return
	}
	for _, up := range c.mro {
		for _, name := range up.order {
			if f, ok := up.attrs[name].(*closure); ok && f.fn != nil && !f.fn.Kernel && (f.fn == d.fn || d.fn == nil && m.in.low.words(f.fn).launches(m.launch.kernel)) {
				m.startMethod(f, self)
				return
			}
		}
	}
}

func (m *machine) startMethod(f *closure, self value) {
	defer m.enter(f.mod)()
	s := newScope(f.env, true)
	s.owner, s.self = f.owner, self
	params := f.fn.Params
	if len(params) > 0 && !static(f.fn) {
		s.declare(params[0].Name, self)
		params = params[1:]
	}
	m.give(params, s)
	m.trace(f.fn, params, s)
}

// trace runs the body of a host function whose arguments are there.
func (m *machine) trace(fn *program.Function, params []program.Param, s *scope) {
	m.arranged(fn, params, s)
	if jit(fn) {
		m.traced(params, s)
		m.tracing = true
	}
	m.run(fn.Body, s)
}

// made is an object of a class that nobody makes: what its __init__ needs is given, or what its fields hold.
func (m *machine) made(c *class) value {
	v, _, _ := c.find("__init__")
	init, ok := v.(*closure)
	if !ok || len(init.fn.Params) == 0 {
		a := &arguments{}
		for _, f := range c.allFields() {
			if f.def == nil {
				a.set(f.name, m.ofType(f.name, f.at.Type))
			}
		}
		return m.instance(c, a, program.Place{Span: c.decl.Span})
	}
	defer m.enter(init.mod)()
	o := &object{class: c, fields: map[string]value{}}
	s := newScope(init.env, true)
	s.owner, s.self = init.owner, o
	s.declare(init.fn.Params[0].Name, o)
	m.give(init.fn.Params[1:], s)
	m.arranged(init.fn, init.fn.Params[1:], s)
	m.run(init.fn.Body, s)
	return o
}

// give declares parameters that no caller gives.
func (m *machine) give(params []program.Param, s *scope) {
	for _, p := range params {
		switch {
		case p.Star == 1:
			s.declare(p.Name, &sequence{})
		case p.Star == 2:
			s.declare(p.Name, newMapping())
		default:
			s.declare(p.Name, m.parameter(p, s))
		}
	}
}

// parameter is the value of a parameter that no caller gives: what --set says, its default, or an unknown of the kind
// that its annotation tells.
func (m *machine) parameter(p program.Param, s *scope) value {
	if v, ok := m.in.setting(p.Name); ok {
		return v
	}
	m.in.low.settable.Note(p.Name, false)
	if p.Default != nil && !m.in.loose[p.Name] {
		m.in.given[p.Name] = true
		return m.evalTyped(p.Default, s)
	}
	if !m.host {
		return atom(p.Name)
	}
	return m.ofType(p.Name, p.Type)
}
