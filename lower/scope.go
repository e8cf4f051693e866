package lower

// location is something that can be read and assigned: a variable, an element, a field.
type location interface {
	get() value
	set(value)
}

// cell is a variable.
type cell struct{ v value }

func (c *cell) get() value  { return c.v }
func (c *cell) set(v value) { c.v = v }

// elementOf is the place of an element of a sequence.
type elementOf struct {
	s *sequence
	i int
}

func (e elementOf) get() value  { return e.s.elems[e.i] }
func (e elementOf) set(v value) { e.s.elems[e.i] = fit(e.s, v) }

// keyOf is the place of a value of a dictionary.
type keyOf struct {
	m *mapping
	k value
}

func (e keyOf) get() value {
	if v, ok, _ := e.m.at(e.k); ok {
		return v
	}
	return data{}
}
func (e keyOf) set(v value) { e.m.put(e.k, v) }

// fieldOf is the place of a field of an object.
type fieldOf struct {
	o    *object
	name string
}

func (f fieldOf) get() value  { return f.o.fields[f.name] }
func (f fieldOf) set(v value) { f.o.fields[f.name] = v }

// nowhere is a place that cannot be tracked; assignments to it are lost, reads are data.
type nowhere struct{}

func (nowhere) get() value { return data{} }
func (nowhere) set(value)  {}

// scope maps names to variables: those of a function.
type scope struct {
	vars   map[string]location
	parent *scope
	// function marks the scope of a Python function: assignment binds here, not further out.
	function bool
	class    *class // the class whose body this is
	// owner and self are of the method whose scope this is: what super() needs.
	owner *class
	self  value
}

// newScope makes an empty scope.
func newScope(parent *scope, function bool) *scope {
	return &scope{vars: map[string]location{}, parent: parent, function: function}
}

// lookup finds the variable of a name, in the scope or around it.
func (s *scope) lookup(name string) (location, bool) {
	for ; s != nil; s = s.parent {
		if l, ok := s.vars[name]; ok {
			return l, true
		}
	}
	return nil, false
}

// declare binds a new variable in this scope.
func (s *scope) declare(name string, v value) { s.vars[name] = &cell{v: v} }

// assign binds name the way an assignment does: the nearest variable up to the function's own scope, else a new one.
func (s *scope) assign(name string, v value) {
	for t := s; t != nil; t = t.parent {
		if l, ok := t.vars[name]; ok {
			l.set(v)
			return
		}
		if t.function {
			t.declare(name, v)
			return
		}
	}
	s.declare(name, v)
}

// keep notes what the variables of a scope are; the result puts them back.
func (s *scope) keep() (restore func()) {
	vars, values := cloneMap(s.vars), map[*cell]value{}
	for _, l := range vars {
		if c, ok := l.(*cell); ok {
			values[c] = c.v
		}
	}
	return func() {
		s.vars = vars
		for c, v := range values {
			c.v = v
		}
	}
}
