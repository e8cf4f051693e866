package value

// Location is something that can be read and assigned: a variable, an element, a field.
type Location interface {
	Get() Value
	Set(Value)
}

// Cell is a variable.
type Cell struct{ V Value }

func (c *Cell) Get() Value  { return c.V }
func (c *Cell) Set(v Value) { c.V = v }

// ElementOf is the place of an element of a sequence.
type ElementOf struct {
	S *Sequence
	I int
}

func (e ElementOf) Get() Value  { return e.S.Elems[e.I] }
func (e ElementOf) Set(v Value) { e.S.Elems[e.I] = Fit(e.S, v) }

// KeyOf is the place of a value of a dictionary.
type KeyOf struct {
	M *Mapping
	K Value
}

func (e KeyOf) Get() Value {
	if v, ok, _ := e.M.At(e.K); ok {
		return v
	}
	return Data{}
}
func (e KeyOf) Set(v Value) { e.M.Put(e.K, v) }

// FieldOf is the place of a field of an object.
type FieldOf struct {
	O    *Object
	Name string
}

func (f FieldOf) Get() Value  { return f.O.Fields[f.Name] }
func (f FieldOf) Set(v Value) { f.O.Put(f.Name, v) }

// Nowhere is a place that cannot be tracked; assignments to it are lost, reads are data.
type Nowhere struct{}

func (Nowhere) Get() Value { return Data{} }
func (Nowhere) Set(Value)  {}

// Scope maps names to variables: those of a function.
type Scope struct {
	Vars map[string]Location // read only: Bind and Unbind change it
	holding
	Parent *Scope
	// Function marks the scope of a Python function: assignment binds here, not further out.
	Function bool
	Class    *Class // the class whose body this is
	// Owner and self are of the method whose scope this is: what super() needs.
	Owner *Class
	Self  Value
}

// NewScope makes an empty scope.
func NewScope(parent *Scope, function bool) *Scope {
	return &Scope{Vars: map[string]Location{}, Parent: parent, Function: function}
}

// Lookup finds the variable of a name, in the scope or around it.
func (s *Scope) Lookup(name string) (Location, bool) {
	for ; s != nil; s = s.Parent {
		if l, ok := s.Vars[name]; ok {
			return l, true
		}
	}
	return nil, false
}

// Declare binds a new variable in this scope.
func (s *Scope) Declare(name string, v Value) { s.Bind(name, &Cell{V: v}) }

// Assign binds name the way an assignment does: the nearest variable up to the function's own scope, else a new one.
func (s *Scope) Assign(name string, v Value) {
	for t := s; t != nil; t = t.Parent {
		if l, ok := t.Vars[name]; ok {
			l.Set(v)
			return
		}
		if t.Function {
			t.Declare(name, v)
			return
		}
	}
	s.Declare(name, v)
}

// Keep notes what the variables of a scope are; the result puts them back.
func (s *Scope) Keep() (restore func()) {
	vars, values := s.Hold(), map[*Cell]Value{}
	for _, l := range vars.All {
		if c, ok := l.(*Cell); ok {
			values[c] = c.V
		}
	}
	return func() {
		s.restore(vars)
		for c, v := range values {
			c.V = v
		}
	}
}
