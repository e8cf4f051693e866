package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// iterate lists the items of something a for loop or comprehension runs over.
func (m *machine) iterate(v value.Value, n program.Node) ([]value.Value, bool) {
	switch v := v.(type) {
	case *value.Sequence:
		return slices.Clone(v.Elems), true // the loop's body may change the list
	case *value.Mapping:
		return v.Items(), true
	case value.Text:
		var out []value.Value
		for _, r := range string(v) {
			out = append(out, value.Text(r))
		}
		return out, true
	case *value.Object:
		return m.iterateObject(v, n)
	case value.Pointer: // for (float& x : s)
		m.surrenderPointer(v, "gone through by a loop over its elements")
	case *value.Class:
		return v.Members(), v.Enum
	case value.RangeValue:
		if m.launch != nil && !m.countable(v) {
			return nil, false
		}
		count := m.trips(v, n)
		out := make([]value.Value, 0, min(count, 1<<16))
		for i := int64(0); i < count; i++ {
			if i >= maxTrips {
				m.stop(n, limit.Size, "loop of more than %d iterations", maxTrips)
			}
			out = append(out, value.Binary("+", v.Lo, value.Binary("*", value.Int(i), v.Step)))
		}
		return out, true
	}
	return nil, false
}

// iterateObject iterates by the class's __iter__, or by __len__ and __getitem__.
func (m *machine) iterateObject(o *value.Object, n program.Node) ([]value.Value, bool) {
	if iter := m.dunder(o, "__iter__"); iter != nil {
		v := m.callWith(iter, &value.Arguments{}, n)
		if v == value.Value(o) {
			return m.exhaust(o, n)
		}
		return m.iterate(v, n)
	}
	if seq, ok := value.AsSequence(o); ok {
		return seq.Elems, true
	}
	size, get := m.dunder(o, "__len__"), m.dunder(o, "__getitem__")
	if size == nil || get == nil {
		return nil, false
	}
	count, ok := value.Whole(m.callWith(size, &value.Arguments{}, n)).(value.Int)
	if !ok || count > value.MaxElems {
		return nil, false
	}
	var out []value.Value
	for i := value.Int(0); i < count; i++ {
		out = append(out, m.callWith(get, &value.Arguments{Vals: []value.Value{i}}, n))
	}
	return out, true
}

// exhaust calls __next__ until it raises StopIteration.
func (m *machine) exhaust(o *value.Object, n program.Node) ([]value.Value, bool) {
	next_ := m.dunder(o, "__next__")
	if next_ == nil {
		return nil, false
	}
	var out []value.Value
	for len(out) < value.MaxElems {
		_, v, r := m.attempt(func() (control, value.Value) { return next, m.callWith(next_, &value.Arguments{}, n) })
		if r != nil {
			if m.catches(value.Path("StopIteration"), r.exception) {
				return out, true
			}
			panic(*r)
		}
		out = append(out, v)
	}
	return nil, false
}

// trips is the number of iterations of a range.
func (m *machine) trips(r value.RangeValue, n program.Node) int64 {
	if s, ok := r.Step.(value.Symbol); ok && !m.host && value.IsStride(s.Expr, 0) {
		return m.walk(r, n)
	}
	if _, ok := r.Step.(value.Int); !ok {
		r.Step = value.Int(m.count(r.Step, n, "the step of the loop"))
	}
	if r.Step == value.Value(value.Int(0)) {
		m.stop(n, limit.Undefined, "loop with step 0")
	}
	m.bounds(r.Lo)
	m.bounds(r.Hi)
	if hi, ok := r.Hi.(value.Symbol); ok && value.IsLanes(r.Lo) && !m.host && m.watch == nil {
		if step, ok := r.Step.(value.Int); ok && step > 1 {
			m.strideOf(hi.Expr, int64(step))
		}
	}
	return max(0, m.count(r.Span(), n, "the trip count of the loop"))
}

// iteration evaluates the built-in functions over iterables; known is false where an iterable is unknown.
func (m *machine) iteration(name string, a *value.Arguments, n program.Node) (v value.Value, is bool) {
	switch name {
	case "enumerate", "reversed", "sorted", "sum", "any", "all", "zip", "map", "filter", "reduce", "product", "chain", "accumulate", "next", "iter", "prod":
	default:
		return nil, false
	}
	over := a.Vals
	switch name {
	case "map":
		over = a.Vals[min(1, len(a.Vals)):]
	case "filter", "reduce":
		over = a.Vals[min(1, len(a.Vals)):min(2, len(a.Vals))]
	case "enumerate", "sum", "reversed", "sorted", "any", "all", "next", "iter", "accumulate", "prod":
		over = a.Vals[:min(1, len(a.Vals))]
	}
	lists := make([][]value.Value, len(over))
	for i, x := range over {
		items, ok := m.iterate(x, n)
		if !ok {
			return value.Data{}, true
		}
		lists[i] = items
	}
	if len(lists) == 0 {
		if name == "zip" || name == "chain" {
			return &value.Sequence{}, true
		}
		return value.Data{}, true
	}
	return m.overLists(name, lists, a, n), true
}

func (m *machine) overLists(name string, lists [][]value.Value, a *value.Arguments, n program.Node) value.Value {
	list := lists[0]
	switch name {
	case "enumerate":
		out := &value.Sequence{}
		for i, v := range list {
			out.Elems = append(out.Elems, &value.Sequence{Elems: []value.Value{value.Binary("+", a.Or(1, "start", value.Int(0)), value.Int(i)), v}})
		}
		return out
	case "reversed":
		slices.Reverse(list)
		return &value.Sequence{Elems: list}
	case "iter":
		return &value.Sequence{Elems: list}
	case "next":
		return m.nextOf(a)
	case "sorted":
		if out, ok := m.sorted(list, a, n); ok {
			return &value.Sequence{Elems: out, List: true}
		}
		return value.Data{}
	case "sum", "prod", "reduce":
		return m.folded(name, list, a, n)
	case "any", "all":
		return m.quantified(name, list, n)
	case "zip":
		return value.Transposed(lists)
	case "map":
		out := &value.Sequence{}
		for _, row := range value.Transposed(lists).Elems {
			out.Elems = append(out.Elems, m.callWith(a.Arg(0), &value.Arguments{Vals: row.(*value.Sequence).Elems}, n))
		}
		return out
	case "filter":
		out := &value.Sequence{}
		for _, v := range list {
			keep := v
			if a.Arg(0) != (value.None{}) {
				keep = m.callWith(a.Arg(0), &value.Arguments{Vals: []value.Value{v}}, n)
			}
			if m.truth(keep, n) {
				out.Elems = append(out.Elems, v)
			}
		}
		return out
	case "product":
		return m.product(lists, value.Whole(a.Or(-1, "repeat", value.Int(1))), n)
	case "chain":
		return &value.Sequence{Elems: slices.Concat(lists...)}
	}
	return value.Data{}
}

// nextOf is next(iterator): iterators here are lists that are used up from the front.
func (m *machine) nextOf(a *value.Arguments) value.Value {
	s, ok := a.Arg(0).(*value.Sequence)
	if !ok || len(s.Elems) == 0 {
		if len(a.Vals) > 1 {
			return a.Vals[1]
		}
		return value.Data{}
	}
	v := s.Elems[0]
	s.Elems = s.Elems[1:]
	return v
}

func (m *machine) folded(name string, list []value.Value, a *value.Arguments, n program.Node) value.Value {
	var out value.Value
	step := func(x, y value.Value) value.Value { return value.Binary("+", x, y) }
	switch name {
	case "sum":
		out = a.Or(1, "start", value.Int(0))
	case "prod":
		out = a.Or(-1, "start", value.Int(1))
		step = func(x, y value.Value) value.Value { return value.Binary("*", x, y) }
	case "reduce":
		out = a.Get(2, "initial")
		step = func(x, y value.Value) value.Value {
			return m.callWith(a.Arg(0), &value.Arguments{Vals: []value.Value{x, y}}, n)
		}
	}
	for _, v := range list {
		if out == nil {
			out = v
			continue
		}
		out = step(out, value.Numeral(v))
	}
	if out == nil {
		return value.Data{}
	}
	return out
}

// quantified is any and all: a known element may decide, else the answer is an unknown over all of them.
func (m *machine) quantified(name string, list []value.Value, n program.Node) value.Value {
	op, stop := "||", value.Int(1)
	if name == "all" {
		op, stop = "&&", 0
	}
	var out value.Value = 1 - stop
	for _, v := range list {
		b := m.toBool(v, n)
		if b == value.Value(stop) {
			return stop
		}
		out = value.Binary(op, out, b)
	}
	return out
}

// sorted orders a list by its known keys; false where a comparison is not known.
func (m *machine) sorted(list []value.Value, a *value.Arguments, n program.Node) ([]value.Value, bool) {
	type entry struct{ key, v value.Value }
	entries := make([]entry, len(list))
	for i, v := range list {
		entries[i] = entry{v, v}
		if f := a.Get(-1, "key"); f != nil && f != (value.None{}) {
			entries[i].key = m.callWith(f, &value.Arguments{Vals: []value.Value{v}}, n)
		}
	}
	known := true
	less := func(x, y value.Value) bool {
		r, ok := value.Binary("<", x, y).(value.Int)
		known = known && ok
		return ok && r != 0
	}
	reverse, _ := a.Or(-1, "reverse", value.Int(0)).(value.Int)
	slices.SortStableFunc(entries, func(x, y entry) int {
		kx, ky := x.key, y.key
		if reverse != 0 {
			kx, ky = ky, kx
		}
		switch {
		case less(kx, ky):
			return -1
		case less(ky, kx):
			return 1
		}
		return 0
	})
	out := make([]value.Value, len(list))
	for i, e := range entries {
		out[i] = e.v
	}
	return out, known
}

// extreme is min and max, over arguments or one iterable, with key and default.
func (m *machine) extreme(name string, a *value.Arguments, n program.Node) value.Value {
	list := a.Vals
	if len(list) == 1 {
		items, ok := m.iterate(list[0], n)
		if !ok {
			return value.Data{}
		}
		list = items
	}
	if len(list) == 0 {
		return a.Or(-1, "default", value.Data{})
	}
	if key := a.Get(-1, "key"); key != nil && key != (value.None{}) {
		sorted, ok := m.sorted(list, &value.Arguments{Names: []string{"key"}, Named: []value.Value{key}}, n)
		switch {
		case !ok:
			return value.Data{}
		case name == "min":
			return sorted[0]
		}
		best := len(sorted) - 1 // the first of equals
		for best > 0 {
			x, y := m.callWith(key, &value.Arguments{Vals: sorted[best-1 : best]}, n), m.callWith(key, &value.Arguments{Vals: sorted[best : best+1]}, n)
			if value.Equals(x, y) != value.Value(value.Int(1)) {
				break
			}
			best--
		}
		return sorted[best]
	}
	out := value.Numeral(list[0])
	for _, v := range list[1:] {
		m.compares(n, "<", out, value.Numeral(v))
		if less, ok := value.Binary("<", out, value.Numeral(v)).(value.Int); ok {
			m.cameOut(n, less, less != 0)
		}
		if r, ok := value.Compared("<", v, out); ok {
			if n, ok := r.(value.Int); !ok {
				return value.Data{}
			} else if (n != 0) == (name == "min") {
				out = v
			}
			continue
		}
		out = value.Binary(name, out, value.Numeral(v))
	}
	return out
}

func (m *machine) product(lists [][]value.Value, repeat value.Value, n program.Node) value.Value {
	times, ok := repeat.(value.Int)
	if !ok || times < 0 || times > 16 {
		return value.Data{}
	}
	rows := [][]value.Value{nil}
	for range times {
		for _, l := range lists {
			var longer [][]value.Value
			for _, r := range rows {
				for _, v := range l {
					longer = append(longer, append(slices.Clone(r), v))
				}
				if len(longer) > value.MaxElems {
					m.stop(n, limit.Size, "product of more than %d elements", value.MaxElems)
				}
			}
			rows = longer
		}
	}
	out := &value.Sequence{}
	for _, r := range rows {
		out.Elems = append(out.Elems, &value.Sequence{Elems: r})
	}
	return out
}
