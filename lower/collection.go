package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) elements(list []program.Expr, s *value.Scope) value.Value {
	out := &value.Sequence{Elems: make([]value.Value, 0, len(list))}
	for _, e := range list {
		if st, ok := e.(*program.Starred); ok {
			items, ok := m.iterate(m.eval(st.X, s), st)
			if !ok {
				return value.Data{}
			}
			out.Elems = append(out.Elems, items...)
			continue
		}
		out.Elems = append(out.Elems, value.Fit(out, m.evalTyped(e, s)))
	}
	return out
}

func (m *machine) dict(e *program.Dict, s *value.Scope) value.Value {
	out := value.NewMapping()
	for i, k := range e.Keys {
		if k == nil { // **d
			d, ok := m.eval(e.Values[i].(*program.Starred).X, s).(*value.Mapping)
			if !ok {
				return value.Data{}
			}
			out.Update(d)
			continue
		}
		if !out.Put(m.eval(k, s), m.evalTyped(e.Values[i], s)) {
			return value.Data{}
		}
	}
	return out
}

func (m *machine) gather(x *value.Sequence, idx value.Lanes) value.Value {
	out := make(value.Lanes, len(idx))
	for k, i := range idx {
		if i < 0 || int(i) >= len(x.Elems) {
			return value.Data{}
		}
		n, ok := x.Elems[i].(value.Int)
		if !ok {
			m.splitOn(idx)
		}
		out[k] = int64(n)
	}
	return out.Shrink()
}

func (m *machine) comprehension(e *program.Comp, s *value.Scope) value.Value {
	out := &value.Sequence{}
	dict := value.NewMapping()
	inner := value.NewScope(s, true)
	ok := true
	var run func(k int)
	run = func(k int) {
		if k == len(e.Clauses) {
			if e.Kind == "dict" {
				ok = dict.Put(m.eval(e.Key, inner), m.chosen(e.Elem, inner)) && ok
			} else {
				out.Elems = append(out.Elems, value.Fit(out, m.chosen(e.Elem, inner)))
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
		return value.Data{}
	case e.Kind == "dict":
		return dict
	case e.Kind == "set":
		if d, ok := value.NewSet(out.Elems); ok {
			return d
		}
		return value.Data{}
	}
	out.List = e.Kind == "list"
	return out
}

// formatted is an f-string without format specifications.
func (m *machine) formatted(e *program.OpaqueExpr, s *value.Scope) value.Value {
	var b strings.Builder
	known := e.Why == "f-string"
	for _, p := range e.Parts {
		t, ok := value.Spelled(m.settle(m.eval(p, s)))
		known = known && ok && b.Len() < value.MaxElems
		b.WriteString(string(t))
	}
	if !known {
		return value.Data{}
	}
	return value.Text(b.String())
}
