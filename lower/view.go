package lower

import (
	"strconv"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// coordinateOf is the coordinate of t[a, b] and of t[(a, b)] alike.
func coordinateOf(args []value.Value) *value.Sequence {
	if s, ok := value.First(args).(*value.Sequence); ok && len(args) == 1 {
		return value.UntypedAll(s).(*value.Sequence)
	}
	return &value.Sequence{Elems: args}
}

// element is t[…]: a view where the coordinate keeps a mode, else the element itself.
func (m *machine) element(t *cute.Tensor, e *program.Index, s *value.Scope) value.Value {
	args := make([]value.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.eval(a, s)
	}
	c := coordinateOf(args)
	if cute.HasNone(c) {
		return t.Index(c)
	}
	m.readsRegisters(t, e)
	if t.Values != nil {
		if i, ok := m.register(t, c); ok && t.Values.Elems[i] != (value.Data{}) {
			return t.Values.Elems[i]
		}
		return value.NewRegister(t.Dtype, false) // a number, whatever it is worth
	}
	if p, ok := m.globalSpot(t, c); ok {
		m.looksAt(p.Block.Name, t.Input)
		v := m.read(p, e)
		if _, plain := v.(value.Data); plain && t.Input {
			if in, ok := m.input(t.Name, c.Elems); ok {
				return in
			}
		}
		return v
	}
	m.looksAt(t.Name, t.Input && t.Block == nil)
	if t.Block != nil {
		if p, ok := t.Spot(c); ok && m.carries(t.Block) {
			m.access(p, 1, e)
			return m.delivered(p, e)
		}
		m.threadAccess(t.Index(c), false, nil, e)
	} else if m.reachesTensor(t.Index(c), false, e); t.Input {
		if v, ok := m.input(t.Name, c.Elems); ok {
			return v
		}
	} else if t.InRegisters() {
		return value.NewRegister(t.Dtype, false)
	}
	return value.Data{}
}

// storeElement is t[…] = v; it answers false where t is no tensor.
func (m *machine) storeElement(e *program.Index, v value.Value, s *value.Scope) bool {
	t, ok := m.eval(e.X, s).(*cute.Tensor)
	if !ok {
		return false
	}
	args := make([]value.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.eval(a, s)
	}
	c := coordinateOf(args)
	if t.Values != nil {
		if i, ok := m.register(t, c); ok {
			t.Values.Elems[i] = v
		} else {
			value.ForgetContent(t.Values, 0)
		}
		return true
	}
	if t.Block != nil {
		if p, ok := t.Spot(c); ok {
			if m.post(p, v, e); m.in.carriers[t.Block.Name] {
				m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(v)}, 1, e)
				return true
			}
		}
		m.threadAccess(t.Index(c), true, v, e)
	} else if p, ok := m.globalSpot(t, c); ok {
		m.changesTensor(t)
		m.store(p, v, e)
	} else {
		m.reachesTensor(t.Index(c), true, e)
		m.changesTensor(t)
	}
	return true
}

var tensorMethods = value.Words(`partition_S partition_D partition_A partition_B partition_C make_fragment_A make_fragment_B make_fragment_C
	partition_shape_A partition_shape_B partition_shape_C retile get_slice set get load store fill get_tensor get_flat_coord get_hier_coord
	mark_compact_shape_dynamic mark_layout_dynamic load_swizzled store_swizzled apply_swizzle`)

// memoryMethods are those of an address that access memory, or move it to a place that is not followed.
var memoryMethods = value.Words("load store load_swizzled store_swizzled apply_swizzle")

// tensorMethod evaluates the methods of tensors, layouts, tiled copies and multiplications.
func (m *machine) tensorMethod(x value.Value, name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	if !tensorMethods[name] {
		return nil, false
	}
	if name == "load" || name == "store" || name == "fill" {
		m.busy(n)
	}
	switch x := x.(type) {
	case *cute.TiledMMA:
		return m.mmaMethod(x, name, a)
	case *cute.Tensor:
		return m.methodOfTensor(x, name, a, n)
	case *cute.Layout:
		switch name {
		case "get_flat_coord":
			return &value.Sequence{Elems: cute.Flatten(cute.Coordinate(x.Shape, a.Get(0, "index")))}, true
		case "get_hier_coord":
			return cute.Coordinate(x.Shape, a.Get(0, "index")), true
		}
	case value.Pointer:
		if name == "get_tensor" {
			t := m.tensorAt(x, a.Get(0, "layout"), value.FirstOf(a.Get(2, "dtype"), x.Elem))
			if s, swizzled := a.Get(1, "swizzle"), false; s != nil {
				if _, swizzled = s.(value.None); !swizzled {
					scattered(t)
				}
			}
			return t, true
		}
		if memoryMethods[name] {
			return m.pointerMethod(x, name, a, n), true
		}
	case value.Mixed:
		if p, ok := m.pointerOf(x); ok && memoryMethods[name] {
			return m.pointerMethod(p, name, a, n), true
		}
	case value.Data, value.Symbol, value.Path, *value.Object:
		if o, ok := x.(*value.Object); ok && (o.Class != nil || cute.AtomKind(o) == "") {
			return nil, false
		}
		if sym, ok := x.(value.Symbol); ok && m.in.params[root(sym.Expr.Atom)] && (name == "load" || name == "store" || name == "fill") {
			if p, ok := m.pointerOf(sym); ok && ofElement(sym, name, a) {
				return m.pointerMethod(p, name, a, n), true
			}
			return m.methodOfTensor(cute.ViewOf(sym, 0), name, a, n)
		}
		return m.unknownMethod(x, name, a)
	}
	return nil, false
}

// unknownMethod evaluates a method of a tiled copy or multiplication about which nothing is known.
func (m *machine) unknownMethod(x value.Value, name string, a *value.Arguments) (value.Value, bool) {
	switch name {
	case "partition_S", "partition_D":
		return m.partition(a.Get(0, "tensor"), x, name), true
	case "retile":
		return value.FirstOf(a.Get(0, "tensor"), value.Data{}), true
	case "get_slice":
		return cute.SliceOf(x, a.Get(0, "thr_idx")), true
	case "partition_A", "partition_B", "partition_C", "make_fragment_A", "make_fragment_B", "make_fragment_C", "partition_shape_A", "partition_shape_B", "partition_shape_C":
		return m.mmaMethod(&cute.TiledMMA{Ctas: value.Int(1), Shape: value.Data{}}, name, a)
	}
	return nil, false
}

func (m *machine) methodOfTensor(t *cute.Tensor, name string, a *value.Arguments, n program.Node) (value.Value, bool) {
	switch name {
	case "load":
		m.readsRegisters(t, n)
		if t.Block != nil {
			m.threadAccess(t, false, nil, n)
		}
		m.touchesGlobal(t, false, nil, n)
		return value.NewRegister(t.Dtype, true), true
	case "store", "fill":
		if t.Values != nil {
			value.ForgetContent(t.Values, 0)
		}
		if t.Block != nil {
			m.threadAccess(t, true, a.Get(0, "value"), n)
		} else {
			m.touchesGlobal(t, true, a.Get(0, "value"), n)
			m.changesTensor(t)
		}
		return value.None{}, true
	case "mark_compact_shape_dynamic", "mark_layout_dynamic":
		return t, true
	case "get_hier_coord", "get_flat_coord":
		return cute.Coordinate(t.Shape, a.Get(0, "index")), true
	}
	return value.Data{}, true
}

// scattered notes that a swizzle moves the elements of a tensor about.
func scattered(v value.Value) {
	if t, ok := v.(*cute.Tensor); ok {
		t.Steps = nil
	}
}

// tensorAt lays a layout over shared memory; without a layout that is known it stays an address.
func (m *machine) tensorAt(p value.Pointer, l, dtype value.Value) value.Value {
	if p.Block == nil || !p.Block.Shared || p.Block.Mbarrier {
		return p
	}
	switch l := l.(type) {
	case *cute.Layout:
		return cute.SharedTensor(p, l.Shape, l.Stride, dtype)
	case *cute.Tensor:
		return cute.SharedTensor(p, l.Shape, value.Data{}, dtype)
	case *value.Sequence, value.Int:
		return cute.SharedTensor(p, l, nil, dtype)
	case value.Symbol:
		t := cute.SharedTensor(p, value.Atom(value.Canonical(l)+".shape"), value.Data{}, dtype)
		t.Lost, t.Adrift = true, true
		return t
	}
	return p
}

// mmaMethod evaluates tiled_mma.name(…).
func (m *machine) mmaMethod(mma *cute.TiledMMA, name string, a *value.Arguments) (value.Value, bool) {
	x := a.Get(0, "input")
	switch name {
	case "get_slice":
		return mma, true
	case "set":
		m.scalesBy(a.Get(0, "field"), value.FirstOf(a.Get(1, "value"), value.Data{}))
		return value.None{}, true
	case "get":
		return value.None{}, true
	case "partition_shape_A", "partition_shape_B", "partition_shape_C":
		return mma.Fragment(name[len(name)-1], a.Get(0, "shape")), true
	case "partition_A", "partition_B", "partition_C":
		v := m.partition(x, nil, name)
		if t, ok := v.(*cute.Tensor); ok {
			mma.Extents(t, x, name[len(name)-1])
			// Warp groups read the rows of A that are theirs, and all of B.
			t.Wide = mma.AcrossWarps(name[len(name)-1])
			t.Split = mma.InRegisters() || name != "partition_B" && mma.Kind != "tcgen05"
		}
		return v, true
	case "make_fragment_A", "make_fragment_B", "make_fragment_C":
		if name == "make_fragment_C" && mma.Kind == "tcgen05" {
			return m.accumulator(mma, x, name+cute.CanonicalArgs(a.All())), true
		}
		if t, ok := x.(*cute.Tensor); ok && name == "make_fragment_A" && t.Block.InColumns() {
			if out, ok := m.columnOperand(mma, t); ok {
				return out, true
			}
		}
		if t, ok := x.(*cute.Tensor); ok {
			ms := append([]value.Value{value.Int(1)}, cute.Modes(t.Shape)[min(1, len(cute.Modes(t.Shape))):]...)
			out := t.With(name, &value.Sequence{Elems: ms}, t.Outer)
			out.Mma, out.Local = mma, true
			if mma.InRegisters() {
				out.Block = nil
			}
			return out, true
		}
		t := &cute.Tensor{Name: name + cute.CanonicalArgs(a.All()), Shape: cute.ShapeOf(x), Outer: -1, Local: true}
		if name == "make_fragment_A" {
			t.Dtype = mma.Dtype
		}
		return t, true
	}
	return nil, false
}

// unknownModes are n extents that only the tensor's name tells. They are extents of tiles, which are never empty.
func (m *machine) unknownModes(name string, n int) []value.Value {
	out := make([]value.Value, n)
	for i := range out {
		key := name + ".shape[" + strconv.Itoa(i) + "]"
		m.in.low.domains[key] = []int64{1, 2, 3}
		out[i] = value.Atom(key)
	}
	return out
}

// memberOf gives an attribute of a tensor.
func (m *machine) memberOf(t *cute.Tensor, name string) value.Value {
	switch name {
	case "shape":
		return t.Shape
	case "layout":
		if t.Strided() {
			return &cute.Layout{Shape: t.Shape, Stride: t.Layout}
		}
		if t.Steps != nil && t.Rank == 0 {
			return &cute.Layout{Shape: t.Shape, Stride: t.Steps}
		}
		if last := len(cute.Modes(t.Shape)) - 1; last > 0 && t.Outer == last && t.Block != nil && t.Stage == nil && !t.Lost && !t.Part {
			return &cute.Layout{Shape: t.Shape, Stride: value.Data{}, Step: t.Span}
		}
		return &cute.Layout{Shape: t.Shape, Stride: value.Data{}}
	case "stride":
		if t.Strided() {
			return t.Layout
		}
	case "outer":
		return t
	case "to":
		if t.Block == nil && (t.Local || t.InRegisters()) && !m.host {
			return value.BoundMethod{Self: t, Name: name}
		}
	case "element_type", "dtype", "value_type":
		if t.Dtype != nil {
			return t.Dtype
		}
		return m.elementType(t.Name, value.ElementType)
	case "memspace":
		if t.Block.InColumns() {
			return value.Path("cutlass.AddressSpace.tmem")
		}
		if t.Block != nil {
			return value.Path("cutlass.AddressSpace.smem")
		}
		if t.InRegisters() {
			return value.Path("cutlass.AddressSpace.rmem")
		}
		return value.Path("cutlass.AddressSpace.gmem")
	case "iterator", "ptr":
		if p, ok := m.globalStart(t); ok {
			return p
		}
		if t.Block == nil {
			m.readsRegisters(t, m.at)
			if t.InRegisters() && !m.host { // another view of them may be made of it
				t.Escape()
				return t
			}
			return value.Data{}
		}
		if t.Block.InColumns() {
			p, _ := m.columnPointer(t.Dtype).(value.Pointer)
			p.Offset, p.Cta = p.Counted(t.Start()), t.Cta
			return p
		}
		return value.Pointer{Block: t.Block, Offset: t.Start(), Cta: t.Cta, Elem: t.Dtype}
	}
	return value.Data{}
}
