package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// boundMethod is a method of a built-in value, taken as a value: xs.append.
type boundMethod struct {
	self value
	name string
}

// words is the set of the words of a list.
func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var (
	sequenceMethods = words("append extend insert pop remove index count reverse sort copy clear")
	numberMethods   = words("to ir_value bit_length")
	pointerMethods  = words("data_ptr get to llvm_ptr raw_ptr toint ir_value align subview to_llvm_ptr get_tensor")
)

// builtinMember is a method of a built-in value.
func builtinMember(x value, name string) (value, bool) {
	var methods map[string]bool
	switch x := x.(type) {
	case *sequence:
		methods = sequenceMethods
	case *mapping:
		methods = mappingMethods
		if x.set {
			methods = setMethods
		}
	case text:
		methods = textMethods
	case integer, lanes, symbol, float:
		methods = numberMethods
	case pointer:
		methods = pointerMethods
	case *kernelCall:
		methods = words("launch")
	}
	return boundMethod{x, name}, methods[name]
}

func (m *machine) builtinMethod(x value, name string, a *arguments, n program.Node) value {
	switch x := x.(type) {
	case *sequence:
		return m.altering(x, n, func() value { return m.sequenceMethod(x, name, a, n) })
	case *mapping:
		return m.altering(x, n, func() value { return m.mappingMethod(x, name, a, n) })
	case text:
		return m.textMethod(x, name, a)
	case *object:
		switch {
		case name == "_asdict":
			return listFields("asdict", x)
		case atomKind(x) == "":
			return m.replaced(x, a, n)
		}
	case register:
		return x.method(name, a)
	case *kernelCall:
		return m.pythonLaunch(x, a, n)
	case superRef:
		return m.objectMethod(x, name, a, n)
	case *class:
		return m.structAt(x, m.in.low.allocName(m.file, n), n.Where())
	case pointer:
		if name == "subview" && len(a.vals) == 1 { // cutlass.Array: the same array from an offset on
			x.offset, x.dims = binary("+", x.offset, whole(a.vals[0])), nil
			return x
		}
		if name == "toint" {
			return x.ofType(path("cutlass.Uint8"))
		}
	case integer:
		if name == "bit_length" {
			k := integer(0)
			for v := max(x, -x); v > 0; v >>= 1 {
				k++
			}
			return k
		}
	}
	if v, ok := m.tensorMethod(x, name, a, n); ok {
		return v
	}
	switch x.(type) {
	case data, path:
		m.handOver(m.table().MethodEffect(name), name, append(a.all(), x), n)
		return data{}
	}
	if t, ok := a.arg(0).(path); ok && name == "to" && isNumber(x) {
		if k := numberType(lastWord(string(t))); k != nil {
			return k.of(x)
		}
	}
	return x // a conversion
}

func (m *machine) sequenceMethod(x *sequence, name string, a *arguments, n program.Node) value {
	switch name {
	case "append":
		m.grow(x, 1, n)
		x.elems = append(x.elems, fit(x, firstOf(first(a.vals), none{})))
	case "extend":
		items, ok := m.iterate(a.arg(0), n)
		if !ok {
			return data{}
		}
		m.grow(x, len(items), n)
		for _, it := range items {
			x.elems = append(x.elems, fit(x, it))
		}
	case "insert":
		if i, ok := whole(a.arg(0)).(integer); ok {
			m.grow(x, 1, n)
			x.elems = slices.Insert(x.elems, clampIndex(i, len(x.elems)), fit(x, a.arg(1)))
		}
	case "pop":
		return m.pop(x, whole(a.or(0, "", integer(-1))), n)
	case "remove":
		if i, known := m.position(x, a.arg(0)); known && i >= 0 {
			x.elems = slices.Delete(x.elems, i, i+1)
		} else if known {
			m.throw(n, "ValueError", "not in the list")
		}
	case "index":
		i, known := m.position(x, a.arg(0))
		if !known {
			return data{}
		}
		if i < 0 {
			m.throw(n, "ValueError", canonical(a.arg(0))+" is not in the list")
		}
		return integer(i)
	case "count":
		var out value = integer(0)
		for _, e := range x.elems {
			out = binary("+", out, equals(e, a.arg(0)))
		}
		return out
	case "reverse":
		slices.Reverse(x.elems)
	case "sort":
		if out, ok := m.sorted(x.elems, a, n); ok {
			x.elems = out
		}
	case "copy":
		return &sequence{elems: slices.Clone(x.elems), list: x.list}
	case "clear":
		x.elems = nil
	}
	return none{}
}

func (m *machine) grow(x *sequence, k int, n program.Node) {
	if len(x.elems)+k > maxElems {
		m.stop(n, limit.Size, "list of more than %d elements", maxElems)
	}
}

func (m *machine) pop(x *sequence, at value, n program.Node) value {
	i, ok := at.(integer)
	if !ok {
		return data{}
	}
	if i < 0 {
		i += integer(len(x.elems))
	}
	if i < 0 || int(i) >= len(x.elems) {
		m.throw(n, "IndexError", "pop from an empty list or beyond its end")
	}
	v := x.elems[i]
	x.elems = slices.Delete(x.elems, int(i), int(i)+1)
	return v
}

// position is the index of an element, -1 where it is not there; known is false where that cannot be told.
func (m *machine) position(x *sequence, v value) (at int, known bool) {
	for i, e := range x.elems {
		r, ok := equals(e, v).(integer)
		if !ok {
			return 0, false
		}
		if r != 0 {
			return i, true
		}
	}
	return -1, true
}

// clampIndex brings an index of a slice into a sequence of n.
func clampIndex(i integer, n int) int {
	if i < 0 {
		i += integer(n)
	}
	return max(0, min(int(i), n))
}

// sliced is x[lo:hi:step] by Python's rules; nil bounds are absent.
func sliced[T any](x []T, lo, hi *int, step int) []T {
	start, end := 0, len(x)
	if step < 0 {
		start, end = len(x)-1, -1
	}
	bound := func(p *int, def int) int {
		if p == nil {
			return def
		}
		i := *p
		if i < 0 {
			i += len(x)
		}
		if step < 0 {
			return max(-1, min(i, len(x)-1))
		}
		return max(0, min(i, len(x)))
	}
	start, end = bound(lo, start), bound(hi, end)
	var out []T
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		out = append(out, x[i])
	}
	return out
}

// sliceBounds evaluates what stands in a slice. A bound that is absent is nil; known is false where the running kernel decides.
func (m *machine) sliceBounds(sl *program.SliceExpr, s *scope) (lo, hi *int, by int, known bool) {
	known = true
	bound := func(e program.Expr) *int {
		if e == nil {
			return nil
		}
		switch v := whole(m.settle(m.eval(e, s))).(type) {
		case integer:
			i := int(max(-maxElems, min(v, maxElems)))
			return &i
		case none:
			return nil
		}
		known = false
		return nil
	}
	lo, hi, step := bound(sl.Lo), bound(sl.Hi), bound(sl.Step)
	by = 1
	if step != nil {
		by = *step
	}
	return lo, hi, by, known && by != 0
}

// slice is x[lo:hi:step] for a list, tuple or string.
func (m *machine) slice(x value, sl *program.SliceExpr, s *scope) value {
	lo, hi, by, known := m.sliceBounds(sl, s)
	if !known {
		return data{}
	}
	switch x := x.(type) {
	case *sequence:
		return &sequence{elems: sliced(x.elems, lo, hi, by), list: x.list}
	case text:
		return text(sliced([]rune(string(x)), lo, hi, by))
	case symbol: // a.shape[:2] of a tensor whose rank is not known
		from := 0
		if lo != nil {
			from = *lo
		}
		if metadata(x.expr.String()) && from >= 0 && hi != nil && *hi >= from && *hi <= 8 && by == 1 {
			return &sequence{elems: partsOf(x, *hi)[from:]}
		}
	}
	return data{}
}
