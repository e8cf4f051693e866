package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// arguments evaluates what a call passes.
func (m *machine) arguments(e *program.Call, s *value.Scope) *value.Arguments {
	a := &value.Arguments{Vals: make([]value.Value, 0, len(e.Args)), Node: e}
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
func (m *machine) spread(a *value.Arguments, st *program.Starred, s *value.Scope) {
	v := m.eval(st.X, s)
	if !st.Double {
		items, ok := m.iterate(v, st)
		for _, it := range items {
			a.Add(it)
		}
		a.Open = a.Open || !ok
		return
	}
	d, ok := v.(*value.Mapping)
	if !ok {
		a.Open = a.Open || v != (value.None{})
		return
	}
	for _, k := range d.Order {
		if name, ok := d.Keys[k].(value.Text); ok {
			a.Set(string(name), d.Values[k])
		}
	}
}

// pass binds arguments to parameters. Defaults are evaluated in defaults, the scope of the definition, where they were
// not evaluated when the function was defined.
func (m *machine) pass(params []program.Param, preset []value.Value, a *value.Arguments, inner *value.Scope) {
	used := 0
	taken := make([]bool, len(a.Names))
	keyword := func(name string) value.Value {
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
			rest := &value.Sequence{}
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
			v = value.Atom(p.Name)
		case i < len(preset) && preset[i] != nil:
			v = preset[i]
		case p.Default != nil:
			v = m.evalTyped(p.Default, inner)
		case m.launch != nil: // of a class that nobody makes, handed on as *args
			v = m.ofType(p.Name, p.Type)
		default:
			v = value.Atom(p.Name)
		}
		inner.Declare(p.Name, v)
	}
}

// rest are the keywords that no parameter took, for **kwargs.
func (m *machine) rest(a *value.Arguments, taken []bool) value.Value {
	if a.Open {
		return value.Data{}
	}
	d := value.NewMapping()
	for i, n := range a.Names {
		if !taken[i] {
			d.Put(value.Text(n), a.Named[i])
		}
	}
	return d
}
