package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

var (
	sequenceMethods = value.Words("append extend insert pop remove index count reverse sort copy clear")
	numberMethods   = value.Words("to ir_value bit_length")
	pointerMethods  = value.Words("data_ptr get to llvm_ptr raw_ptr toint ir_value align subview to_llvm_ptr get_tensor print_runtime")
)

// builtinMember is a method of a built-in value.
func builtinMember(x value.Value, name string) (value.Value, bool) {
	var methods map[string]bool
	switch x := x.(type) {
	case *value.Sequence:
		methods = sequenceMethods
	case *value.Mapping:
		methods = mappingMethods
		if x.Set {
			methods = setMethods
		}
	case value.Text:
		methods = value.TextMethods
	case value.Int, value.Lanes, value.Symbol, value.Float:
		methods = numberMethods
	case value.Pointer:
		methods = pointerMethods
	case *kernelCall:
		methods = value.Words("launch")
	}
	return value.BoundMethod{Self: x, Name: name}, methods[name]
}

func (m *machine) builtinMethod(x value.Value, name string, a *value.Arguments, n program.Node) value.Value {
	switch x := x.(type) {
	case *value.Sequence:
		return m.altering(x, n, func() value.Value { return m.sequenceMethod(x, name, a, n) })
	case *value.Mapping:
		return m.altering(x, n, func() value.Value { return m.mappingMethod(x, name, a, n) })
	case value.Text:
		return value.TextMethod(x, name, a)
	case *value.Object:
		switch {
		case name == "_asdict":
			return value.ListFields("asdict", x)
		case cute.AtomKind(x) == "":
			return m.replaced(x, a, n)
		}
	case value.Register:
		return x.Method(name, a)
	case *cute.Tensor:
		if name == "to" { // registers of their own, with the same modes
			m.readsRegisters(x, n)
			out := x.OfType(value.FirstOf(a.Get(0, "dtype"), value.Data{}))
			out.Registers, out.Values = &cute.RegisterFile{}, nil
			return out
		}
	case *kernelCall:
		return m.pythonLaunch(x, a, n)
	case value.SuperRef:
		return m.objectMethod(x, name, a, n)
	case *value.Class:
		return m.structAt(x, m.in.low.allocName(m.file, n), n.Where())
	case value.Pointer:
		return m.pointerMethod(x, name, a, n)
	case value.Mixed:
		if p, ok := m.pointerOf(x); ok {
			return m.pointerMethod(p, name, a, n)
		}
	case value.Int:
		if name == "bit_length" {
			k := value.Int(0)
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
	case value.Data, value.Path:
		m.handOver(m.table().MethodEffect(name), name, append(a.All(), x), n)
		return value.Data{}
	}
	if t, ok := a.Arg(0).(value.Path); ok && name == "to" && value.IsNumber(x) {
		if k := value.NumberType(value.LastWord(string(t))); k != nil {
			return k.Of(x)
		}
	}
	return x // a conversion
}

func (m *machine) sequenceMethod(x *value.Sequence, name string, a *value.Arguments, n program.Node) value.Value {
	switch name {
	case "append":
		m.grow(x, 1, n)
		x.Elems = append(x.Elems, value.Fit(x, value.FirstOf(value.First(a.Vals), value.None{})))
	case "extend":
		items, ok := m.iterate(a.Arg(0), n)
		if !ok {
			return value.Data{}
		}
		m.grow(x, len(items), n)
		for _, it := range items {
			x.Elems = append(x.Elems, value.Fit(x, it))
		}
	case "insert":
		if i, ok := value.Whole(a.Arg(0)).(value.Int); ok {
			m.grow(x, 1, n)
			x.Elems = slices.Insert(x.Elems, value.ClampIndex(i, len(x.Elems)), value.Fit(x, a.Arg(1)))
		}
	case "pop":
		return m.pop(x, value.Whole(a.Or(0, "", value.Int(-1))), n)
	case "remove":
		if i, known := m.position(x, a.Arg(0)); known && i >= 0 {
			x.Elems = slices.Delete(x.Elems, i, i+1)
		} else if known {
			m.throw(n, "ValueError", "not in the list")
		}
	case "index":
		i, known := m.position(x, a.Arg(0))
		if !known {
			return value.Data{}
		}
		if i < 0 {
			m.throw(n, "ValueError", value.Canonical(a.Arg(0))+" is not in the list")
		}
		return value.Int(i)
	case "count":
		var out value.Value = value.Int(0)
		for _, e := range x.Elems {
			out = value.Binary("+", out, value.Equals(e, a.Arg(0)))
		}
		return out
	case "reverse":
		slices.Reverse(x.Elems)
	case "sort":
		if out, ok := m.sorted(x.Elems, a, n); ok {
			x.Elems = out
		}
	case "copy":
		return &value.Sequence{Elems: slices.Clone(x.Elems), List: x.List}
	case "clear":
		x.Elems = nil
	}
	return value.None{}
}

func (m *machine) grow(x *value.Sequence, k int, n program.Node) {
	if len(x.Elems)+k > value.MaxElems {
		m.stop(n, limit.Size, "list of more than %d elements", value.MaxElems)
	}
}

func (m *machine) pop(x *value.Sequence, at value.Value, n program.Node) value.Value {
	i, ok := at.(value.Int)
	if !ok {
		return value.Data{}
	}
	if i < 0 {
		i += value.Int(len(x.Elems))
	}
	if i < 0 || int(i) >= len(x.Elems) {
		m.throw(n, "IndexError", "pop from an empty list or beyond its end")
	}
	v := x.Elems[i]
	x.Elems = slices.Delete(x.Elems, int(i), int(i)+1)
	return v
}

// position is the index of an element, -1 where it is not there; known is false where that cannot be told.
func (m *machine) position(x *value.Sequence, v value.Value) (at int, known bool) {
	for i, e := range x.Elems {
		r, ok := value.Equals(e, v).(value.Int)
		if !ok {
			return 0, false
		}
		if r != 0 {
			return i, true
		}
	}
	return -1, true
}

// sliceBounds evaluates what stands in a slice. A bound that is absent is nil; known is false where the running kernel decides.
func (m *machine) sliceBounds(sl *program.SliceExpr, s *value.Scope) (lo, hi *int, by int, known bool) {
	known = true
	bound := func(e program.Expr) *int {
		if e == nil {
			return nil
		}
		switch v := value.Whole(m.settle(m.eval(e, s))).(type) {
		case value.Int:
			i := int(max(-value.MaxElems, min(v, value.MaxElems)))
			return &i
		case value.None:
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
func (m *machine) slice(x value.Value, sl *program.SliceExpr, s *value.Scope) value.Value {
	lo, hi, by, known := m.sliceBounds(sl, s)
	if !known {
		return value.Data{}
	}
	switch x := x.(type) {
	case *value.Sequence:
		return &value.Sequence{Elems: value.Sliced(x.Elems, lo, hi, by), List: x.List}
	case value.Text:
		return value.Text(value.Sliced([]rune(string(x)), lo, hi, by))
	case value.Symbol: // a.shape[:2] of a tensor whose rank is not known
		from := 0
		if lo != nil {
			from = *lo
		}
		if cute.Metadata(x.Expr.String()) && from >= 0 && hi != nil && *hi >= from && *hi <= 8 && by == 1 {
			return &value.Sequence{Elems: cute.PartsOf(x, *hi)[from:]}
		}
	}
	return value.Data{}
}
