package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) elements(list []program.Expr, s *Scope) Value {
	out := &Sequence{Elems: make([]Value, 0, len(list))}
	for _, e := range list {
		if st, ok := e.(*program.Starred); ok {
			items, ok := m.iterate(m.eval(st.X, s), st)
			if !ok {
				return Data{}
			}
			out.Elems = append(out.Elems, items...)
			continue
		}
		out.Elems = append(out.Elems, Fit(out, m.evalTyped(e, s)))
	}
	return out
}

func (m *machine) dict(e *program.Dict, s *Scope) Value {
	out := NewMapping()
	for i, k := range e.Keys {
		if k == nil { // **d
			d, ok := m.eval(e.Values[i].(*program.Starred).X, s).(*Mapping)
			if !ok {
				return Data{}
			}
			out.Update(d)
			continue
		}
		if !out.Put(m.eval(k, s), m.evalTyped(e.Values[i], s)) {
			return Data{}
		}
	}
	return out
}

func (m *machine) gather(x *Sequence, idx Lanes) Value {
	out := make(Lanes, len(idx))
	for k, i := range idx {
		if i < 0 || int(i) >= len(x.Elems) {
			return Data{}
		}
		n, ok := x.Elems[i].(Int)
		if !ok {
			m.splitOn(idx)
		}
		out[k] = int64(n)
	}
	return out.Shrink()
}

func (m *machine) comprehension(e *program.Comp, s *Scope) Value {
	out := &Sequence{}
	dict := NewMapping()
	inner := NewScope(s, true)
	ok := true
	var run func(k int)
	run = func(k int) {
		if k == len(e.Clauses) {
			if e.Kind == "dict" {
				ok = dict.Put(m.eval(e.Key, inner), m.evalTyped(e.Elem, inner)) && ok
			} else {
				out.Elems = append(out.Elems, Fit(out, m.evalTyped(e.Elem, inner)))
			}
			return
		}
		items, known := m.iterate(m.eval(e.Clauses[k].Iter, inner), e)
		if !known {
			ok = false
			return
		}
		for _, it := range items {
			m.assign(e.Clauses[k].Target, it, inner)
			keep := true
			for _, c := range e.Clauses[k].Conds {
				keep = keep && m.truth(m.eval(c, inner), c)
			}
			if keep {
				run(k + 1)
			}
		}
	}
	run(0)
	switch {
	case !ok:
		return Data{}
	case e.Kind == "dict":
		return dict
	case e.Kind == "set":
		if d, ok := NewSet(out.Elems); ok {
			return d
		}
		return Data{}
	}
	out.List = e.Kind == "list"
	return out
}
