package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// What changes a list, a dictionary or a set of Python in place: every name of it sees the change (reference 7.2, 7.2.1, 7.5).
// A change that is not followed loses the whole of it.

// asList marks a value that Python makes as a list.
func asList(v value.Value) value.Value {
	if s, ok := v.(*value.Sequence); ok {
		s.List = true
	}
	return v
}

// discard gives up what a list or a dictionary holds.
func (m *machine) discard(v value.Value) {
	switch x := v.(type) {
	case *value.Sequence:
		x.Lost = x.List
	case *value.Mapping:
		x.Lost = true
	}
}

// augmented is x op= y.
func (m *machine) augmented(op string, x, y value.Value, n program.Node) value.Value {
	if o, ok := x.(*value.Object); ok {
		if f := m.dunder(o, inPlace(op)); f != nil {
			return m.callWith(f, &value.Arguments{Vals: []value.Value{y}}, n)
		}
	}
	if s, ok := x.(*value.Sequence); ok && s.List && op == "+" { // a list takes the elements of anything
		items, ok := m.iterate(y, n)
		if !ok {
			m.discard(x)
			return value.Data{}
		}
		y = &value.Sequence{Elems: items}
	}
	v := m.operate(op, x, y, n)
	switch x := x.(type) {
	case *value.Sequence:
		if !x.List {
			return v
		}
		made, ok := v.(*value.Sequence)
		if !ok {
			m.discard(x)
			return value.Data{}
		}
		return m.altering(x, n, func() value.Value {
			for i := len(x.Elems); i < len(made.Elems); i++ {
				made.Elems[i] = value.Fit(x, made.Elems[i])
			}
			x.Elems = made.Elems
			return x
		})
	case *value.Mapping:
		if x.Frozen {
			return v
		}
		made, ok := v.(*value.Mapping)
		if !ok {
			m.discard(x)
			return value.Data{}
		}
		return m.altering(x, n, func() value.Value {
			x.Order, x.Keys, x.Values = made.Order, made.Keys, made.Values
			return x
		})
	}
	return v
}

// setSlice is x[lo:hi:step] = v for a list.
func (m *machine) setSlice(x *value.Sequence, sl *program.SliceExpr, v value.Value, n program.Node, s *value.Scope) {
	lo, hi, by, known := m.sliceBounds(sl, s)
	items, ok := m.iterate(v, n)
	if !known || !ok {
		m.discard(x)
		m.swallows(n, v)
		return
	}
	for i := range items {
		items[i] = value.Fit(x, items[i])
	}
	at := value.Sliced(indices(len(x.Elems)), lo, hi, by)
	if by != 1 {
		if len(at) != len(items) {
			m.throw(n, "ValueError", "an extended slice is given another number of elements")
		}
		m.altering(x, n, func() value.Value {
			for i, k := range at {
				x.Elems[k] = items[i]
			}
			return x
		})
		return
	}
	from := 0
	if len(at) > 0 {
		from = at[0]
	} else if lo != nil {
		from = value.ClampIndex(value.Int(*lo), len(x.Elems))
	}
	m.grow(x, len(items), n)
	m.altering(x, n, func() value.Value {
		x.Elems = slices.Replace(slices.Clone(x.Elems), from, from+len(at), items...)
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
func (m *machine) delete(st *program.Delete, s *value.Scope) {
	for _, t := range st.Targets {
		switch t := t.(type) {
		case *program.Name:
			for sc := s; sc != nil; sc = sc.Parent {
				if _, ok := sc.Vars[t.Ident]; ok {
					sc.Unbind(t.Ident)
					break
				}
				if sc.Function {
					break
				}
			}
		case *program.Attr:
			switch x := m.eval(t.X, s).(type) {
			case *value.Object:
				x.Drop(mangled(t.Name, s))
			case *value.Class:
				delete(x.Attrs, t.Name)
			}
		case *program.Index:
			m.deleteItem(t, s)
		}
	}
}

func (m *machine) deleteItem(t *program.Index, s *value.Scope) {
	switch x := m.eval(t.X, s).(type) {
	case *value.Mapping:
		key := m.index(t, s)
		switch _, present, known := x.At(key); {
		case !known:
			m.discard(x)
		case !present:
			m.throw(t, "KeyError", value.Canonical(key))
		default:
			m.altering(x, t, func() value.Value { x.Remove(key); return x })
		}
	case *value.Sequence:
		var gone []int
		if sl, ok := t.Args[0].(*program.SliceExpr); ok && len(t.Args) == 1 {
			lo, hi, by, known := m.sliceBounds(sl, s)
			if !known {
				m.discard(x)
				return
			}
			gone = value.Sliced(indices(len(x.Elems)), lo, hi, by)
		} else {
			i, ok := value.Whole(m.settle(m.index(t, s))).(value.Int)
			if i < 0 {
				i += value.Int(len(x.Elems))
			}
			switch {
			case !ok:
				m.discard(x)
				return
			case i < 0 || int(i) >= len(x.Elems):
				m.throw(t, "IndexError", "list assignment index out of range")
			}
			gone = []int{int(i)}
		}
		m.altering(x, t, func() value.Value {
			var rest []value.Value
			for i, e := range x.Elems {
				if !slices.Contains(gone, i) {
					rest = append(rest, e)
				}
			}
			x.Elems = rest
			return x
		})
	case *value.Object:
		if f := m.dunder(x, "__delitem__"); f != nil {
			m.callWith(f, &value.Arguments{Vals: []value.Value{m.index(t, s)}}, t)
		}
	}
}
