package lower

import (
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) elements(list []program.Expr, s *scope) value {
	out := &sequence{elems: make([]value, 0, len(list))}
	for _, e := range list {
		if st, ok := e.(*program.Starred); ok {
			if seq, ok := m.eval(st.X, s).(*sequence); ok {
				out.elems = append(out.elems, seq.elems...)
				continue
			}
			return data{}
		}
		out.elems = append(out.elems, m.eval(e, s))
	}
	return out
}

func (m *machine) dict(e *program.Dict, s *scope) value {
	out := &mapping{values: map[string]value{}}
	for i, k := range e.Keys {
		if k == nil {
			return data{}
		}
		keyOf{out, canonical(m.eval(k, s))}.set(m.eval(e.Values[i], s))
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

func (m *machine) slice(x *sequence, sl *program.SliceExpr, s *scope) value {
	bound := func(e program.Expr, def int) int {
		if e == nil {
			return def
		}
		i, ok := m.eval(e, s).(integer)
		if !ok {
			return def
		}
		if i < 0 {
			i += integer(len(x.elems))
		}
		return max(0, min(int(i), len(x.elems)))
	}
	lo, hi := bound(sl.Lo, 0), bound(sl.Hi, len(x.elems))
	if sl.Step != nil || lo > hi {
		return data{}
	}
	return &sequence{append([]value{}, x.elems[lo:hi]...)}
}

func (m *machine) comprehension(e *program.Comp, s *scope) value {
	out := &sequence{}
	dict := &mapping{values: map[string]value{}}
	inner := newScope(s, true)
	ok := true
	var run func(k int)
	run = func(k int) {
		if k == len(e.Clauses) {
			if e.Kind == "dict" {
				keyOf{dict, canonical(m.eval(e.Key, inner))}.set(m.eval(e.Elem, inner))
			} else {
				out.elems = append(out.elems, m.eval(e.Elem, inner))
			}
			return
		}
		items, known := m.iterate(m.eval(e.Clauses[k].Iter, s), e)
		if !known {
			ok = false
			return
		}
		for _, it := range items {
			m.bind(e.Clauses[k].Target, it, inner)
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
	}
	return out
}

// iterate lists the items of something a for loop or comprehension runs over.
func (m *machine) iterate(v value, n program.Node) ([]value, bool) {
	switch v := v.(type) {
	case *sequence:
		return v.elems, true
	case *mapping:
		out := make([]value, len(v.keys))
		for i, k := range v.keys {
			out[i] = path(k)
		}
		return out, true
	case rangeValue:
		count := m.trips(v, n)
		out := make([]value, 0, min(count, 1<<16))
		for i := int64(0); i < count; i++ {
			if i >= maxTrips {
				m.stop(n, "loop of more than %d iterations", maxTrips)
			}
			out = append(out, binary("+", v.lo, binary("*", integer(i), v.step)))
		}
		return out, true
	}
	return nil, false
}

// rangeValue is range(lo, hi, step).
type rangeValue struct{ lo, hi, step value }

// trips is the number of iterations of a range.
func (m *machine) trips(r rangeValue, n program.Node) int64 {
	span := binary("-", r.hi, r.lo)
	step, ok := r.step.(integer)
	if !ok {
		step = integer(m.count(r.step, n, "the step of the loop"))
	}
	if step == 0 {
		m.stop(n, "loop with step 0")
	}
	if step < 0 {
		span, step = binary("-", r.lo, r.hi), -step
	}
	if step != 1 {
		span = binary("//", binary("+", span, step-1), step)
	}
	return max(0, m.count(span, n, "the trip count of the loop"))
}
