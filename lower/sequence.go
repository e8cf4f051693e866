package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// BoundMethod is a method of a built-in value, taken as a value: xs.append.
type BoundMethod struct {
	Self Value
	Name string
}

// Words is the set of the words of a list.
func Words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var (
	sequenceMethods = Words("append extend insert pop remove index count reverse sort copy clear")
	numberMethods   = Words("to ir_value bit_length")
	pointerMethods  = Words("data_ptr get to llvm_ptr raw_ptr toint ir_value align subview to_llvm_ptr get_tensor")
)

// builtinMember is a method of a built-in value.
func builtinMember(x Value, name string) (Value, bool) {
	var methods map[string]bool
	switch x := x.(type) {
	case *Sequence:
		methods = sequenceMethods
	case *Mapping:
		methods = mappingMethods
		if x.Set {
			methods = setMethods
		}
	case Text:
		methods = textMethods
	case Int, Lanes, Symbol, Float:
		methods = numberMethods
	case Pointer:
		methods = pointerMethods
	case *kernelCall:
		methods = Words("launch")
	}
	return BoundMethod{Self: x, Name: name}, methods[name]
}

func (m *machine) builtinMethod(x Value, name string, a *Arguments, n program.Node) Value {
	switch x := x.(type) {
	case *Sequence:
		return m.altering(x, n, func() Value { return m.sequenceMethod(x, name, a, n) })
	case *Mapping:
		return m.altering(x, n, func() Value { return m.mappingMethod(x, name, a, n) })
	case Text:
		return m.textMethod(x, name, a)
	case *Object:
		switch {
		case name == "_asdict":
			return listFields("asdict", x)
		case atomKind(x) == "":
			return m.replaced(x, a, n)
		}
	case Register:
		return x.Method(name, a)
	case *kernelCall:
		return m.pythonLaunch(x, a, n)
	case SuperRef:
		return m.objectMethod(x, name, a, n)
	case *Class:
		return m.structAt(x, m.in.low.allocName(m.file, n), n.Where())
	case Pointer:
		if name == "subview" && len(a.Vals) == 1 { // cutlass.Array: the same array from an offset on
			x.Offset, x.Dims = Binary("+", x.Offset, Whole(a.Vals[0])), nil
			return x
		}
		if name == "toint" {
			return x.OfType(Path("cutlass.Uint8"))
		}
	case Int:
		if name == "bit_length" {
			k := Int(0)
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
	case Data, Path:
		m.handOver(m.table().MethodEffect(name), name, append(a.All(), x), n)
		return Data{}
	}
	if t, ok := a.Arg(0).(Path); ok && name == "to" && IsNumber(x) {
		if k := NumberType(LastWord(string(t))); k != nil {
			return k.Of(x)
		}
	}
	return x // a conversion
}

func (m *machine) sequenceMethod(x *Sequence, name string, a *Arguments, n program.Node) Value {
	switch name {
	case "append":
		m.grow(x, 1, n)
		x.Elems = append(x.Elems, Fit(x, FirstOf(First(a.Vals), None{})))
	case "extend":
		items, ok := m.iterate(a.Arg(0), n)
		if !ok {
			return Data{}
		}
		m.grow(x, len(items), n)
		for _, it := range items {
			x.Elems = append(x.Elems, Fit(x, it))
		}
	case "insert":
		if i, ok := Whole(a.Arg(0)).(Int); ok {
			m.grow(x, 1, n)
			x.Elems = slices.Insert(x.Elems, ClampIndex(i, len(x.Elems)), Fit(x, a.Arg(1)))
		}
	case "pop":
		return m.pop(x, Whole(a.Or(0, "", Int(-1))), n)
	case "remove":
		if i, known := m.position(x, a.Arg(0)); known && i >= 0 {
			x.Elems = slices.Delete(x.Elems, i, i+1)
		} else if known {
			m.throw(n, "ValueError", "not in the list")
		}
	case "index":
		i, known := m.position(x, a.Arg(0))
		if !known {
			return Data{}
		}
		if i < 0 {
			m.throw(n, "ValueError", Canonical(a.Arg(0))+" is not in the list")
		}
		return Int(i)
	case "count":
		var out Value = Int(0)
		for _, e := range x.Elems {
			out = Binary("+", out, Equals(e, a.Arg(0)))
		}
		return out
	case "reverse":
		slices.Reverse(x.Elems)
	case "sort":
		if out, ok := m.sorted(x.Elems, a, n); ok {
			x.Elems = out
		}
	case "copy":
		return &Sequence{Elems: slices.Clone(x.Elems), List: x.List}
	case "clear":
		x.Elems = nil
	}
	return None{}
}

func (m *machine) grow(x *Sequence, k int, n program.Node) {
	if len(x.Elems)+k > MaxElems {
		m.stop(n, limit.Size, "list of more than %d elements", MaxElems)
	}
}

func (m *machine) pop(x *Sequence, at Value, n program.Node) Value {
	i, ok := at.(Int)
	if !ok {
		return Data{}
	}
	if i < 0 {
		i += Int(len(x.Elems))
	}
	if i < 0 || int(i) >= len(x.Elems) {
		m.throw(n, "IndexError", "pop from an empty list or beyond its end")
	}
	v := x.Elems[i]
	x.Elems = slices.Delete(x.Elems, int(i), int(i)+1)
	return v
}

// position is the index of an element, -1 where it is not there; known is false where that cannot be told.
func (m *machine) position(x *Sequence, v Value) (at int, known bool) {
	for i, e := range x.Elems {
		r, ok := Equals(e, v).(Int)
		if !ok {
			return 0, false
		}
		if r != 0 {
			return i, true
		}
	}
	return -1, true
}

// ClampIndex brings an index of a slice into a sequence of n.
func ClampIndex(i Int, n int) int {
	if i < 0 {
		i += Int(n)
	}
	return max(0, min(int(i), n))
}

// Sliced is x[lo:hi:step] by Python's rules; nil bounds are absent.
func Sliced[T any](x []T, lo, hi *int, step int) []T {
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
func (m *machine) sliceBounds(sl *program.SliceExpr, s *Scope) (lo, hi *int, by int, known bool) {
	known = true
	bound := func(e program.Expr) *int {
		if e == nil {
			return nil
		}
		switch v := Whole(m.settle(m.eval(e, s))).(type) {
		case Int:
			i := int(max(-MaxElems, min(v, MaxElems)))
			return &i
		case None:
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
func (m *machine) slice(x Value, sl *program.SliceExpr, s *Scope) Value {
	lo, hi, by, known := m.sliceBounds(sl, s)
	if !known {
		return Data{}
	}
	switch x := x.(type) {
	case *Sequence:
		return &Sequence{Elems: Sliced(x.Elems, lo, hi, by), List: x.List}
	case Text:
		return Text(Sliced([]rune(string(x)), lo, hi, by))
	case Symbol: // a.shape[:2] of a tensor whose rank is not known
		from := 0
		if lo != nil {
			from = *lo
		}
		if metadata(x.Expr.String()) && from >= 0 && hi != nil && *hi >= from && *hi <= 8 && by == 1 {
			return &Sequence{Elems: partsOf(x, *hi)[from:]}
		}
	}
	return Data{}
}
