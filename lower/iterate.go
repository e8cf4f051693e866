package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// iterate lists the items of something a for loop or comprehension runs over.
func (m *machine) iterate(v value, n program.Node) ([]value, bool) {
	switch v := v.(type) {
	case *sequence:
		return slices.Clone(v.elems), true // the loop's body may change the list
	case *mapping:
		return v.items(), true
	case text:
		var out []value
		for _, r := range string(v) {
			out = append(out, text(r))
		}
		return out, true
	case *object:
		return m.iterateObject(v, n)
	case pointer: // for (float& x : s)
		m.surrenderPointer(v, "gone through by a loop over its elements")
	case *class:
		return v.members(), v.enum
	case rangeValue:
		if m.launch != nil && !m.countable(v) {
			return nil, false
		}
		count := m.trips(v, n)
		out := make([]value, 0, min(count, 1<<16))
		for i := int64(0); i < count; i++ {
			if i >= maxTrips {
				m.stop(n, limit.Size, "loop of more than %d iterations", maxTrips)
			}
			out = append(out, binary("+", v.lo, binary("*", integer(i), v.step)))
		}
		return out, true
	}
	return nil, false
}

// iterateObject iterates by the class's __iter__, or by __len__ and __getitem__.
func (m *machine) iterateObject(o *object, n program.Node) ([]value, bool) {
	if iter := m.dunder(o, "__iter__"); iter != nil {
		v := m.callWith(iter, &arguments{}, n)
		if v == value(o) {
			return m.exhaust(o, n)
		}
		return m.iterate(v, n)
	}
	if seq, ok := asSequence(o); ok {
		return seq.elems, true
	}
	size, get := m.dunder(o, "__len__"), m.dunder(o, "__getitem__")
	if size == nil || get == nil {
		return nil, false
	}
	count, ok := whole(m.callWith(size, &arguments{}, n)).(integer)
	if !ok || count > maxElems {
		return nil, false
	}
	var out []value
	for i := integer(0); i < count; i++ {
		out = append(out, m.callWith(get, &arguments{vals: []value{i}}, n))
	}
	return out, true
}

// exhaust calls __next__ until it raises StopIteration.
func (m *machine) exhaust(o *object, n program.Node) ([]value, bool) {
	next_ := m.dunder(o, "__next__")
	if next_ == nil {
		return nil, false
	}
	var out []value
	for len(out) < maxElems {
		_, v, r := m.attempt(func() (control, value) { return next, m.callWith(next_, &arguments{}, n) })
		if r != nil {
			if m.catches(path("StopIteration"), r.exception) {
				return out, true
			}
			panic(*r)
		}
		out = append(out, v)
	}
	return nil, false
}

// rangeValue is range(lo, hi, step).
type rangeValue struct{ lo, hi, step value }

// rangeOf is range(…) of its arguments.
func rangeOf(a *arguments) value {
	switch len(a.vals) {
	case 0:
		if hi := a.get(-1, "stop"); hi != nil {
			return rangeValue{a.or(-1, "start", integer(0)), hi, a.or(-1, "step", integer(1))}
		}
		return data{}
	case 1:
		return rangeValue{integer(0), whole(a.vals[0]), integer(1)}
	case 2:
		return rangeValue{whole(a.vals[0]), whole(a.vals[1]), whole(a.or(-1, "step", integer(1)))}
	}
	return rangeValue{whole(a.vals[0]), whole(a.vals[1]), whole(a.vals[2])}
}

// trips is the number of iterations of a range.
func (m *machine) trips(r rangeValue, n program.Node) int64 {
	if s, ok := r.step.(symbol); ok && !m.host && isStride(s.expr, 0) {
		return m.walk(r, n)
	}
	if _, ok := r.step.(integer); !ok {
		r.step = integer(m.count(r.step, n, "the step of the loop"))
	}
	if r.step == value(integer(0)) {
		m.stop(n, limit.Undefined, "loop with step 0")
	}
	m.bounds(r.lo)
	m.bounds(r.hi)
	if hi, ok := r.hi.(symbol); ok && isLanes(r.lo) && !m.host && m.watch == nil {
		if step, ok := r.step.(integer); ok && step > 1 {
			m.strideOf(hi.expr, int64(step))
		}
	}
	return max(0, m.count(r.span(), n, "the trip count of the loop"))
}

// span is the number of iterations of a range, negative where there are none.
func (r rangeValue) span() value {
	step, ok := r.step.(integer)
	switch {
	case !ok || step == 0:
		return data{}
	case step < 0:
		r.lo, r.hi, step = r.hi, r.lo, -step
	}
	span := binary("-", r.hi, r.lo)
	if step != 1 {
		span = binary("//", binary("+", span, step-1), step)
	}
	return span
}

// iteration evaluates the built-in functions over iterables; known is false where an iterable is unknown.
func (m *machine) iteration(name string, a *arguments, n program.Node) (v value, is bool) {
	switch name {
	case "enumerate", "reversed", "sorted", "sum", "any", "all", "zip", "map", "filter", "reduce", "product", "chain", "accumulate", "next", "iter", "prod":
	default:
		return nil, false
	}
	over := a.vals
	switch name {
	case "map":
		over = a.vals[min(1, len(a.vals)):]
	case "filter", "reduce":
		over = a.vals[min(1, len(a.vals)):min(2, len(a.vals))]
	case "enumerate", "sum", "reversed", "sorted", "any", "all", "next", "iter", "accumulate", "prod":
		over = a.vals[:min(1, len(a.vals))]
	}
	lists := make([][]value, len(over))
	for i, x := range over {
		items, ok := m.iterate(x, n)
		if !ok {
			return data{}, true
		}
		lists[i] = items
	}
	if len(lists) == 0 {
		if name == "zip" || name == "chain" {
			return &sequence{}, true
		}
		return data{}, true
	}
	return m.overLists(name, lists, a, n), true
}

func (m *machine) overLists(name string, lists [][]value, a *arguments, n program.Node) value {
	list := lists[0]
	switch name {
	case "enumerate":
		out := &sequence{}
		for i, v := range list {
			out.elems = append(out.elems, &sequence{elems: []value{binary("+", a.or(1, "start", integer(0)), integer(i)), v}})
		}
		return out
	case "reversed":
		slices.Reverse(list)
		return &sequence{elems: list}
	case "iter":
		return &sequence{elems: list}
	case "next":
		return m.nextOf(a)
	case "sorted":
		if out, ok := m.sorted(list, a, n); ok {
			return &sequence{elems: out, list: true}
		}
		return data{}
	case "sum", "prod", "reduce":
		return m.folded(name, list, a, n)
	case "any", "all":
		return m.quantified(name, list, n)
	case "zip":
		return transposed(lists)
	case "map":
		out := &sequence{}
		for _, row := range transposed(lists).elems {
			out.elems = append(out.elems, m.callWith(a.arg(0), &arguments{vals: row.(*sequence).elems}, n))
		}
		return out
	case "filter":
		out := &sequence{}
		for _, v := range list {
			keep := v
			if a.arg(0) != (none{}) {
				keep = m.callWith(a.arg(0), &arguments{vals: []value{v}}, n)
			}
			if m.truth(keep, n) {
				out.elems = append(out.elems, v)
			}
		}
		return out
	case "product":
		return m.product(lists, whole(a.or(-1, "repeat", integer(1))), n)
	case "chain":
		return &sequence{elems: slices.Concat(lists...)}
	}
	return data{}
}

// nextOf is next(iterator): iterators here are lists that are used up from the front.
func (m *machine) nextOf(a *arguments) value {
	s, ok := a.arg(0).(*sequence)
	if !ok || len(s.elems) == 0 {
		if len(a.vals) > 1 {
			return a.vals[1]
		}
		return data{}
	}
	v := s.elems[0]
	s.elems = s.elems[1:]
	return v
}

func (m *machine) folded(name string, list []value, a *arguments, n program.Node) value {
	var out value
	step := func(x, y value) value { return binary("+", x, y) }
	switch name {
	case "sum":
		out = a.or(1, "start", integer(0))
	case "prod":
		out = a.or(-1, "start", integer(1))
		step = func(x, y value) value { return binary("*", x, y) }
	case "reduce":
		out = a.get(2, "initial")
		step = func(x, y value) value { return m.callWith(a.arg(0), &arguments{vals: []value{x, y}}, n) }
	}
	for _, v := range list {
		if out == nil {
			out = v
			continue
		}
		out = step(out, numeral(v))
	}
	if out == nil {
		return data{}
	}
	return out
}

// quantified is any and all: a known element may decide, else the answer is an unknown over all of them.
func (m *machine) quantified(name string, list []value, n program.Node) value {
	op, stop := "||", integer(1)
	if name == "all" {
		op, stop = "&&", 0
	}
	var out value = 1 - stop
	for _, v := range list {
		b := m.toBool(v, n)
		if b == value(stop) {
			return stop
		}
		out = binary(op, out, b)
	}
	return out
}

// sorted orders a list by its known keys; false where a comparison is not known.
func (m *machine) sorted(list []value, a *arguments, n program.Node) ([]value, bool) {
	type entry struct{ key, v value }
	entries := make([]entry, len(list))
	for i, v := range list {
		entries[i] = entry{v, v}
		if f := a.get(-1, "key"); f != nil && f != (none{}) {
			entries[i].key = m.callWith(f, &arguments{vals: []value{v}}, n)
		}
	}
	known := true
	less := func(x, y value) bool {
		r, ok := binary("<", x, y).(integer)
		known = known && ok
		return ok && r != 0
	}
	reverse, _ := a.or(-1, "reverse", integer(0)).(integer)
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
	out := make([]value, len(list))
	for i, e := range entries {
		out[i] = e.v
	}
	return out, known
}

// extreme is min and max, over arguments or one iterable, with key and default.
func (m *machine) extreme(name string, a *arguments, n program.Node) value {
	list := a.vals
	if len(list) == 1 {
		items, ok := m.iterate(list[0], n)
		if !ok {
			return data{}
		}
		list = items
	}
	if len(list) == 0 {
		return a.or(-1, "default", data{})
	}
	if key := a.get(-1, "key"); key != nil && key != (none{}) {
		sorted, ok := m.sorted(list, &arguments{names: []string{"key"}, named: []value{key}}, n)
		switch {
		case !ok:
			return data{}
		case name == "min":
			return sorted[0]
		}
		best := len(sorted) - 1 // the first of equals
		for best > 0 {
			x, y := m.callWith(key, &arguments{vals: sorted[best-1 : best]}, n), m.callWith(key, &arguments{vals: sorted[best : best+1]}, n)
			if equals(x, y) != value(integer(1)) {
				break
			}
			best--
		}
		return sorted[best]
	}
	out := numeral(list[0])
	for _, v := range list[1:] {
		m.compares(n, "<", out, numeral(v))
		if less, ok := binary("<", out, numeral(v)).(integer); ok {
			m.cameOut(n, less, less != 0)
		}
		if r, ok := compared("<", v, out); ok {
			if n, ok := r.(integer); !ok {
				return data{}
			} else if (n != 0) == (name == "min") {
				out = v
			}
			continue
		}
		out = binary(name, out, numeral(v))
	}
	return out
}
