package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) elements(list []program.Expr, s *scope) value {
	out := &sequence{elems: make([]value, 0, len(list))}
	for _, e := range list {
		if st, ok := e.(*program.Starred); ok {
			items, ok := m.iterate(m.eval(st.X, s), st)
			if !ok {
				return data{}
			}
			out.elems = append(out.elems, items...)
			continue
		}
		out.elems = append(out.elems, fit(out, m.evalTyped(e, s)))
	}
	return out
}

func (m *machine) dict(e *program.Dict, s *scope) value {
	out := newMapping()
	for i, k := range e.Keys {
		if k == nil { // **d
			d, ok := m.eval(e.Values[i].(*program.Starred).X, s).(*mapping)
			if !ok {
				return data{}
			}
			out.update(d)
			continue
		}
		if !out.put(m.eval(k, s), m.evalTyped(e.Values[i], s)) {
			return data{}
		}
	}
	return out
}

func (m *machine) gather(x *sequence, idx lanes) value {
	out := make(lanes, len(idx))
	for k, i := range idx {
		if i < 0 || int(i) >= len(x.elems) {
			return data{}
		}
		n, ok := x.elems[i].(integer)
		if !ok {
			m.splitOn(idx)
		}
		out[k] = int64(n)
	}
	return out.shrink()
}

func (m *machine) comprehension(e *program.Comp, s *scope) value {
	out := &sequence{}
	dict := newMapping()
	inner := newScope(s, true)
	ok := true
	var run func(k int)
	run = func(k int) {
		if k == len(e.Clauses) {
			if e.Kind == "dict" {
				ok = dict.put(m.eval(e.Key, inner), m.evalTyped(e.Elem, inner)) && ok
			} else {
				out.elems = append(out.elems, fit(out, m.evalTyped(e.Elem, inner)))
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
		return data{}
	case e.Kind == "dict":
		return dict
	case e.Kind == "set":
		if d, ok := newSet(out.elems); ok {
			return d
		}
		return data{}
	}
	out.list = e.Kind == "list"
	return out
}
