package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// Arguments are the evaluated arguments of a call.
type Arguments struct {
	Vals  []Value
	Names []string // keywords, in order
	Named []Value
	Node  program.Node
	// Open is set where *x or **x of an unknown may bring more than is listed here.
	Open bool
}

// Arg is the i-th positional argument, data where there is none.
func (a *Arguments) Arg(i int) Value {
	if i < len(a.Vals) {
		return UntypedAll(a.Vals[i])
	}
	return None{}
}

// Get is an argument by position or keyword; nil where it is not given.
func (a *Arguments) Get(i int, name string) Value {
	for k, n := range a.Names {
		if n == name {
			return UntypedAll(a.Named[k])
		}
	}
	if i >= 0 && i < len(a.Vals) {
		return UntypedAll(a.Vals[i])
	}
	return nil
}

// Or is an argument by position or keyword, or def.
func (a *Arguments) Or(i int, name string, def Value) Value {
	if v := a.Get(i, name); v != nil {
		return v
	}
	return def
}

// All lists every value, positional ones first.
func (a *Arguments) All() []Value {
	if len(a.Named) == 0 {
		return a.Vals
	}
	return append(append([]Value{}, a.Vals...), a.Named...)
}

// Add appends a positional argument.
func (a *Arguments) Add(v Value) {
	a.Vals = append(a.Vals, v)
}

// Set gives an argument by its name.
func (a *Arguments) Set(name string, v Value) {
	for i, n := range a.Names {
		if n == name {
			a.Named[i] = v
			return
		}
	}
	a.Names, a.Named = append(a.Names, name), append(a.Named, v)
}

// arguments evaluates what a call passes.
func (m *machine) arguments(e *program.Call, s *Scope) *Arguments {
	a := &Arguments{Vals: make([]Value, 0, len(e.Args)), Node: e}
	for _, x := range e.Args {
		if st, ok := x.(*program.Starred); ok {
			m.spread(a, st, s)
			continue
		}
		a.Add(m.evalTyped(x, s))
	}
	for _, k := range e.Keywords {
		a.Set(k.Name, m.evalTyped(k.Value, s))
	}
	return a
}

// spread passes *x or **x.
func (m *machine) spread(a *Arguments, st *program.Starred, s *Scope) {
	v := m.eval(st.X, s)
	if !st.Double {
		items, ok := m.iterate(v, st)
		for _, it := range items {
			a.Add(it)
		}
		a.Open = a.Open || !ok
		return
	}
	d, ok := v.(*Mapping)
	if !ok {
		a.Open = a.Open || v != (None{})
		return
	}
	for _, k := range d.Order {
		if name, ok := d.Keys[k].(Text); ok {
			a.Set(string(name), d.Values[k])
		}
	}
}

// pass binds arguments to parameters. Defaults are evaluated in defaults, the scope of the definition, where they were
// not evaluated when the function was defined.
func (m *machine) pass(params []program.Param, preset []Value, a *Arguments, inner *Scope) {
	used := 0
	taken := make([]bool, len(a.Names))
	keyword := func(name string) Value {
		for i, n := range a.Names {
			if n == name {
				taken[i] = true
				return a.Named[i]
			}
		}
		return nil
	}
	positional := true
	for i, p := range params {
		switch {
		case p.Star == 1:
			rest := &Sequence{}
			if used < len(a.Vals) {
				rest.Elems = append(rest.Elems, a.Vals[used:]...)
			}
			used, positional = len(a.Vals), false
			inner.Declare(p.Name, rest)
			continue
		case p.Star == 2:
			inner.Declare(p.Name, m.rest(a, taken))
			continue
		}
		if positional && used < len(a.Vals) {
			inner.Declare(p.Name, a.Vals[used])
			used++
			continue
		}
		v := keyword(p.Name)
		switch {
		case v != nil:
		case a.Open: // it may be among what *x or **x brings
			v = Atom(p.Name)
		case i < len(preset) && preset[i] != nil:
			v = preset[i]
		case p.Default != nil:
			v = m.evalTyped(p.Default, inner)
		case m.launch != nil: // of a class that nobody makes, handed on as *args
			v = m.ofType(p.Name, p.Type)
		default:
			v = Atom(p.Name)
		}
		inner.Declare(p.Name, v)
	}
}

// rest are the keywords that no parameter took, for **kwargs.
func (m *machine) rest(a *Arguments, taken []bool) Value {
	if a.Open {
		return Data{}
	}
	d := NewMapping()
	for i, n := range a.Names {
		if !taken[i] {
			d.Put(Text(n), a.Named[i])
		}
	}
	return d
}
