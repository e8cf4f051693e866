package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// iterate lists the items of something a for loop or comprehension runs over.
func (m *machine) iterate(v Value, n program.Node) ([]Value, bool) {
	switch v := v.(type) {
	case *Sequence:
		return slices.Clone(v.Elems), true // the loop's body may change the list
	case *Mapping:
		return v.Items(), true
	case Text:
		var out []Value
		for _, r := range string(v) {
			out = append(out, Text(r))
		}
		return out, true
	case *Object:
		return m.iterateObject(v, n)
	case Pointer: // for (float& x : s)
		m.surrenderPointer(v, "gone through by a loop over its elements")
	case *Class:
		return v.Members(), v.Enum
	case RangeValue:
		if m.launch != nil && !m.countable(v) {
			return nil, false
		}
		count := m.trips(v, n)
		out := make([]Value, 0, min(count, 1<<16))
		for i := int64(0); i < count; i++ {
			if i >= maxTrips {
				m.stop(n, limit.Size, "loop of more than %d iterations", maxTrips)
			}
			out = append(out, Binary("+", v.Lo, Binary("*", Int(i), v.Step)))
		}
		return out, true
	}
	return nil, false
}

// iterateObject iterates by the class's __iter__, or by __len__ and __getitem__.
func (m *machine) iterateObject(o *Object, n program.Node) ([]Value, bool) {
	if iter := m.dunder(o, "__iter__"); iter != nil {
		v := m.callWith(iter, &Arguments{}, n)
		if v == Value(o) {
			return m.exhaust(o, n)
		}
		return m.iterate(v, n)
	}
	if seq, ok := AsSequence(o); ok {
		return seq.Elems, true
	}
	size, get := m.dunder(o, "__len__"), m.dunder(o, "__getitem__")
	if size == nil || get == nil {
		return nil, false
	}
	count, ok := Whole(m.callWith(size, &Arguments{}, n)).(Int)
	if !ok || count > MaxElems {
		return nil, false
	}
	var out []Value
	for i := Int(0); i < count; i++ {
		out = append(out, m.callWith(get, &Arguments{Vals: []Value{i}}, n))
	}
	return out, true
}

// exhaust calls __next__ until it raises StopIteration.
func (m *machine) exhaust(o *Object, n program.Node) ([]Value, bool) {
	next_ := m.dunder(o, "__next__")
	if next_ == nil {
		return nil, false
	}
	var out []Value
	for len(out) < MaxElems {
		_, v, r := m.attempt(func() (control, Value) { return next, m.callWith(next_, &Arguments{}, n) })
		if r != nil {
			if m.catches(Path("StopIteration"), r.exception) {
				return out, true
			}
			panic(*r)
		}
		out = append(out, v)
	}
	return nil, false
}

// RangeValue is range(lo, hi, step).
type RangeValue struct{ Lo, Hi, Step Value }

// RangeOf is range(…) of its arguments.
func RangeOf(a *Arguments) Value {
	switch len(a.Vals) {
	case 0:
		if hi := a.Get(-1, "stop"); hi != nil {
			return RangeValue{a.Or(-1, "start", Int(0)), hi, a.Or(-1, "step", Int(1))}
		}
		return Data{}
	case 1:
		return RangeValue{Int(0), Whole(a.Vals[0]), Int(1)}
	case 2:
		return RangeValue{Whole(a.Vals[0]), Whole(a.Vals[1]), Whole(a.Or(-1, "step", Int(1)))}
	}
	return RangeValue{Whole(a.Vals[0]), Whole(a.Vals[1]), Whole(a.Vals[2])}
}

// trips is the number of iterations of a range.
func (m *machine) trips(r RangeValue, n program.Node) int64 {
	if s, ok := r.Step.(Symbol); ok && !m.host && IsStride(s.Expr, 0) {
		return m.walk(r, n)
	}
	if _, ok := r.Step.(Int); !ok {
		r.Step = Int(m.count(r.Step, n, "the step of the loop"))
	}
	if r.Step == Value(Int(0)) {
		m.stop(n, limit.Undefined, "loop with step 0")
	}
	m.bounds(r.Lo)
	m.bounds(r.Hi)
	if hi, ok := r.Hi.(Symbol); ok && IsLanes(r.Lo) && !m.host && m.watch == nil {
		if step, ok := r.Step.(Int); ok && step > 1 {
			m.strideOf(hi.Expr, int64(step))
		}
	}
	return max(0, m.count(r.Span(), n, "the trip count of the loop"))
}

// Span is the number of iterations of a range, negative where there are none.
func (r RangeValue) Span() Value {
	step, ok := r.Step.(Int)
	switch {
	case !ok || step == 0:
		return Data{}
	case step < 0:
		r.Lo, r.Hi, step = r.Hi, r.Lo, -step
	}
	span := Binary("-", r.Hi, r.Lo)
	if step != 1 {
		span = Binary("//", Binary("+", span, step-1), step)
	}
	return span
}

// iteration evaluates the built-in functions over iterables; known is false where an iterable is unknown.
func (m *machine) iteration(name string, a *Arguments, n program.Node) (v Value, is bool) {
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
	lists := make([][]Value, len(over))
	for i, x := range over {
		items, ok := m.iterate(x, n)
		if !ok {
			return Data{}, true
		}
		lists[i] = items
	}
	if len(lists) == 0 {
		if name == "zip" || name == "chain" {
			return &Sequence{}, true
		}
		return Data{}, true
	}
	return m.overLists(name, lists, a, n), true
}

func (m *machine) overLists(name string, lists [][]Value, a *Arguments, n program.Node) Value {
	list := lists[0]
	switch name {
	case "enumerate":
		out := &Sequence{}
		for i, v := range list {
			out.Elems = append(out.Elems, &Sequence{Elems: []Value{Binary("+", a.Or(1, "start", Int(0)), Int(i)), v}})
		}
		return out
	case "reversed":
		slices.Reverse(list)
		return &Sequence{Elems: list}
	case "iter":
		return &Sequence{Elems: list}
	case "next":
		return m.nextOf(a)
	case "sorted":
		if out, ok := m.sorted(list, a, n); ok {
			return &Sequence{Elems: out, List: true}
		}
		return Data{}
	case "sum", "prod", "reduce":
		return m.folded(name, list, a, n)
	case "any", "all":
		return m.quantified(name, list, n)
	case "zip":
		return transposed(lists)
	case "map":
		out := &Sequence{}
		for _, row := range transposed(lists).Elems {
			out.Elems = append(out.Elems, m.callWith(a.Arg(0), &Arguments{Vals: row.(*Sequence).Elems}, n))
		}
		return out
	case "filter":
		out := &Sequence{}
		for _, v := range list {
			keep := v
			if a.Arg(0) != (None{}) {
				keep = m.callWith(a.Arg(0), &Arguments{Vals: []Value{v}}, n)
			}
			if m.truth(keep, n) {
				out.Elems = append(out.Elems, v)
			}
		}
		return out
	case "product":
		return m.product(lists, Whole(a.Or(-1, "repeat", Int(1))), n)
	case "chain":
		return &Sequence{Elems: slices.Concat(lists...)}
	}
	return Data{}
}

// nextOf is next(iterator): iterators here are lists that are used up from the front.
func (m *machine) nextOf(a *Arguments) Value {
	s, ok := a.Arg(0).(*Sequence)
	if !ok || len(s.Elems) == 0 {
		if len(a.Vals) > 1 {
			return a.Vals[1]
		}
		return Data{}
	}
	v := s.Elems[0]
	s.Elems = s.Elems[1:]
	return v
}

func (m *machine) folded(name string, list []Value, a *Arguments, n program.Node) Value {
	var out Value
	step := func(x, y Value) Value { return Binary("+", x, y) }
	switch name {
	case "sum":
		out = a.Or(1, "start", Int(0))
	case "prod":
		out = a.Or(-1, "start", Int(1))
		step = func(x, y Value) Value { return Binary("*", x, y) }
	case "reduce":
		out = a.Get(2, "initial")
		step = func(x, y Value) Value { return m.callWith(a.Arg(0), &Arguments{Vals: []Value{x, y}}, n) }
	}
	for _, v := range list {
		if out == nil {
			out = v
			continue
		}
		out = step(out, Numeral(v))
	}
	if out == nil {
		return Data{}
	}
	return out
}

// quantified is any and all: a known element may decide, else the answer is an unknown over all of them.
func (m *machine) quantified(name string, list []Value, n program.Node) Value {
	op, stop := "||", Int(1)
	if name == "all" {
		op, stop = "&&", 0
	}
	var out Value = 1 - stop
	for _, v := range list {
		b := m.toBool(v, n)
		if b == Value(stop) {
			return stop
		}
		out = Binary(op, out, b)
	}
	return out
}

// sorted orders a list by its known keys; false where a comparison is not known.
func (m *machine) sorted(list []Value, a *Arguments, n program.Node) ([]Value, bool) {
	type entry struct{ key, v Value }
	entries := make([]entry, len(list))
	for i, v := range list {
		entries[i] = entry{v, v}
		if f := a.Get(-1, "key"); f != nil && f != (None{}) {
			entries[i].key = m.callWith(f, &Arguments{Vals: []Value{v}}, n)
		}
	}
	known := true
	less := func(x, y Value) bool {
		r, ok := Binary("<", x, y).(Int)
		known = known && ok
		return ok && r != 0
	}
	reverse, _ := a.Or(-1, "reverse", Int(0)).(Int)
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
	out := make([]Value, len(list))
	for i, e := range entries {
		out[i] = e.v
	}
	return out, known
}

// extreme is min and max, over arguments or one iterable, with key and default.
func (m *machine) extreme(name string, a *Arguments, n program.Node) Value {
	list := a.Vals
	if len(list) == 1 {
		items, ok := m.iterate(list[0], n)
		if !ok {
			return Data{}
		}
		list = items
	}
	if len(list) == 0 {
		return a.Or(-1, "default", Data{})
	}
	if key := a.Get(-1, "key"); key != nil && key != (None{}) {
		sorted, ok := m.sorted(list, &Arguments{Names: []string{"key"}, Named: []Value{key}}, n)
		switch {
		case !ok:
			return Data{}
		case name == "min":
			return sorted[0]
		}
		best := len(sorted) - 1 // the first of equals
		for best > 0 {
			x, y := m.callWith(key, &Arguments{Vals: sorted[best-1 : best]}, n), m.callWith(key, &Arguments{Vals: sorted[best : best+1]}, n)
			if Equals(x, y) != Value(Int(1)) {
				break
			}
			best--
		}
		return sorted[best]
	}
	out := Numeral(list[0])
	for _, v := range list[1:] {
		m.compares(n, "<", out, Numeral(v))
		if less, ok := Binary("<", out, Numeral(v)).(Int); ok {
			m.cameOut(n, less, less != 0)
		}
		if r, ok := Compared("<", v, out); ok {
			if n, ok := r.(Int); !ok {
				return Data{}
			} else if (n != 0) == (name == "min") {
				out = v
			}
			continue
		}
		out = Binary(name, out, Numeral(v))
	}
	return out
}
