package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// What changes a list, a dictionary or a set of Python in place: every name of it sees the change (reference 7.2, 7.2.1, 7.5).
// A change that is not followed loses the whole of it.

// asList marks a value that Python makes as a list.
func asList(v value) value {
	if s, ok := v.(*sequence); ok {
		s.list = true
	}
	return v
}

// discard gives up what a list or a dictionary holds.
func (m *machine) discard(v value) {
	switch x := v.(type) {
	case *sequence:
		x.lost = x.list
	case *mapping:
		x.lost = true
	}
}

// augmented is x op= y.
func (m *machine) augmented(op string, x, y value, n program.Node) value {
	if o, ok := x.(*object); ok {
		if f := m.dunder(o, inPlace(op)); f != nil {
			return m.callWith(f, &arguments{vals: []value{y}}, n)
		}
	}
	if s, ok := x.(*sequence); ok && s.list && op == "+" { // a list takes the elements of anything
		items, ok := m.iterate(y, n)
		if !ok {
			m.discard(x)
			return data{}
		}
		y = &sequence{elems: items}
	}
	v := m.operate(op, x, y, n)
	switch x := x.(type) {
	case *sequence:
		if !x.list {
			return v
		}
		made, ok := v.(*sequence)
		if !ok {
			m.discard(x)
			return data{}
		}
		return m.altering(x, n, func() value {
			for i := len(x.elems); i < len(made.elems); i++ {
				made.elems[i] = fit(x, made.elems[i])
			}
			x.elems = made.elems
			return x
		})
	case *mapping:
		if x.frozen {
			return v
		}
		made, ok := v.(*mapping)
		if !ok {
			m.discard(x)
			return data{}
		}
		return m.altering(x, n, func() value {
			x.order, x.keys, x.values = made.order, made.keys, made.values
			return x
		})
	}
	return v
}

// setSlice is x[lo:hi:step] = v for a list.
func (m *machine) setSlice(x *sequence, sl *program.SliceExpr, v value, n program.Node, s *scope) {
	lo, hi, by, known := m.sliceBounds(sl, s)
	items, ok := m.iterate(v, n)
	if !known || !ok {
		m.discard(x)
		m.swallows(n, v)
		return
	}
	for i := range items {
		items[i] = fit(x, items[i])
	}
	at := sliced(indices(len(x.elems)), lo, hi, by)
	if by != 1 {
		if len(at) != len(items) {
			m.throw(n, "ValueError", "an extended slice is given another number of elements")
		}
		m.altering(x, n, func() value {
			for i, k := range at {
				x.elems[k] = items[i]
			}
			return x
		})
		return
	}
	from := 0
	if len(at) > 0 {
		from = at[0]
	} else if lo != nil {
		from = clampIndex(integer(*lo), len(x.elems))
	}
	m.grow(x, len(items), n)
	m.altering(x, n, func() value {
		x.elems = slices.Replace(slices.Clone(x.elems), from, from+len(at), items...)
		return x
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// delete is del: of a name, an attribute or an element.
func (m *machine) delete(st *program.Delete, s *scope) {
	for _, t := range st.Targets {
		switch t := t.(type) {
		case *program.Name:
			for sc := s; sc != nil; sc = sc.parent {
				if _, ok := sc.vars[t.Ident]; ok {
					delete(sc.vars, t.Ident)
					break
				}
				if sc.function {
					break
				}
			}
		case *program.Attr:
			switch x := m.eval(t.X, s).(type) {
			case *object:
				delete(x.fields, mangled(t.Name, s))
			case *class:
				delete(x.attrs, t.Name)
			}
		case *program.Index:
			m.deleteItem(t, s)
		}
	}
}

func (m *machine) deleteItem(t *program.Index, s *scope) {
	switch x := m.eval(t.X, s).(type) {
	case *mapping:
		key := m.index(t, s)
		switch _, present, known := x.at(key); {
		case !known:
			m.discard(x)
		case !present:
			m.throw(t, "KeyError", canonical(key))
		default:
			m.altering(x, t, func() value { x.remove(key); return x })
		}
	case *sequence:
		var gone []int
		if sl, ok := t.Args[0].(*program.SliceExpr); ok && len(t.Args) == 1 {
			lo, hi, by, known := m.sliceBounds(sl, s)
			if !known {
				m.discard(x)
				return
			}
			gone = sliced(indices(len(x.elems)), lo, hi, by)
		} else {
			i, ok := whole(m.settle(m.index(t, s))).(integer)
			if i < 0 {
				i += integer(len(x.elems))
			}
			switch {
			case !ok:
				m.discard(x)
				return
			case i < 0 || int(i) >= len(x.elems):
				m.throw(t, "IndexError", "list assignment index out of range")
			}
			gone = []int{int(i)}
		}
		m.altering(x, t, func() value {
			var rest []value
			for i, e := range x.elems {
				if !slices.Contains(gone, i) {
					rest = append(rest, e)
				}
			}
			x.elems = rest
			return x
		})
	case *object:
		if f := m.dunder(x, "__delitem__"); f != nil {
			m.callWith(f, &arguments{vals: []value{m.index(t, s)}}, t)
		}
	}
}
