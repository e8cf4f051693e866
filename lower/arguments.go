package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

// arguments are the evaluated arguments of a call.
type arguments struct {
	vals  []value
	names []string // keywords, in order
	named []value
	node  program.Node
	// open is set where *x or **x of an unknown may bring more than is listed here.
	open bool
}

// arg is the i-th positional argument, data where there is none.
func (a *arguments) arg(i int) value {
	if i < len(a.vals) {
		return untypedAll(a.vals[i])
	}
	return none{}
}

// get is an argument by position or keyword; nil where it is not given.
func (a *arguments) get(i int, name string) value {
	for k, n := range a.names {
		if n == name {
			return untypedAll(a.named[k])
		}
	}
	if i >= 0 && i < len(a.vals) {
		return untypedAll(a.vals[i])
	}
	return nil
}

// or is an argument by position or keyword, or def.
func (a *arguments) or(i int, name string, def value) value {
	if v := a.get(i, name); v != nil {
		return v
	}
	return def
}

// all lists every value, positional ones first.
func (a *arguments) all() []value {
	if len(a.named) == 0 {
		return a.vals
	}
	return append(append([]value{}, a.vals...), a.named...)
}

// add appends a positional argument.
func (a *arguments) add(v value) {
	a.vals = append(a.vals, v)
}

// set gives an argument by its name.
func (a *arguments) set(name string, v value) {
	for i, n := range a.names {
		if n == name {
			a.named[i] = v
			return
		}
	}
	a.names, a.named = append(a.names, name), append(a.named, v)
}

// arguments evaluates what a call passes.
func (m *machine) arguments(e *program.Call, s *scope) *arguments {
	a := &arguments{vals: make([]value, 0, len(e.Args)), node: e}
	for _, x := range e.Args {
		if st, ok := x.(*program.Starred); ok {
			m.spread(a, st, s)
			continue
		}
		a.add(m.evalTyped(x, s))
	}
	for _, k := range e.Keywords {
		a.set(k.Name, m.evalTyped(k.Value, s))
	}
	return a
}

// spread passes *x or **x.
func (m *machine) spread(a *arguments, st *program.Starred, s *scope) {
	v := m.eval(st.X, s)
	if !st.Double {
		items, ok := m.iterate(v, st)
		for _, it := range items {
			a.add(it)
		}
		a.open = a.open || !ok
		return
	}
	d, ok := v.(*mapping)
	if !ok {
		a.open = a.open || v != (none{})
		return
	}
	for _, k := range d.order {
		if name, ok := d.keys[k].(text); ok {
			a.set(string(name), d.values[k])
		}
	}
}

// pass binds arguments to parameters. Defaults are evaluated in defaults, the scope of the definition, where they were
// not evaluated when the function was defined.
func (m *machine) pass(params []program.Param, preset []value, a *arguments, inner *scope) {
	used := 0
	taken := make([]bool, len(a.names))
	keyword := func(name string) value {
		for i, n := range a.names {
			if n == name {
				taken[i] = true
				return a.named[i]
			}
		}
		return nil
	}
	positional := true
	for i, p := range params {
		switch {
		case p.Star == 1:
			rest := &sequence{}
			if used < len(a.vals) {
				rest.elems = append(rest.elems, a.vals[used:]...)
			}
			used, positional = len(a.vals), false
			inner.declare(p.Name, rest)
			continue
		case p.Star == 2:
			inner.declare(p.Name, m.rest(a, taken))
			continue
		}
		if positional && used < len(a.vals) {
			inner.declare(p.Name, a.vals[used])
			used++
			continue
		}
		v := keyword(p.Name)
		switch {
		case v != nil:
		case a.open: // it may be among what *x or **x brings
			v = atom(p.Name)
		case i < len(preset) && preset[i] != nil:
			v = preset[i]
		case p.Default != nil:
			v = m.evalTyped(p.Default, inner)
		case m.launch != nil: // of a class that nobody makes, handed on as *args
			v = m.ofType(p.Name, p.Type)
		default:
			v = atom(p.Name)
		}
		inner.declare(p.Name, v)
	}
}

// rest are the keywords that no parameter took, for **kwargs.
func (m *machine) rest(a *arguments, taken []bool) value {
	if a.open {
		return data{}
	}
	d := newMapping()
	for i, n := range a.names {
		if !taken[i] {
			d.put(text(n), a.named[i])
		}
	}
	return d
}
