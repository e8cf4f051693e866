package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// cute evaluates a function of CuTe's layout algebra or of its copy and multiply atoms. It answers false for any other.
func (m *machine) cute(name, short string, a *value.Arguments, n program.Node) (value.Value, bool) {
	if !cute.Function(name, short) {
		return nil, false
	}
	located := *a
	located.Node = n
	a = &located
	for _, f := range []func(string, string, *value.Arguments) (value.Value, bool){m.cuteShape, m.cuteDivide, m.cuteTensor, m.cuteAtom} {
		if v, ok := f(name, short, a); ok {
			return v, true
		}
	}
	m.loseTensors(a.All(), "handed to "+clip(name)+", which is not modelled")
	if args := a.All(); value.UniformSymbol(&value.Sequence{Elems: args}) && len(name) < 200 {
		return value.Atom(name + cute.CanonicalArgs(args)), true
	}
	return value.Data{}, true
}

// cuteShape evaluates what asks for or makes shapes and layouts.
func (m *machine) cuteShape(_, short string, a *value.Arguments) (value.Value, bool) {
	x := a.Get(0, "layout")
	if x == nil {
		x = a.Get(0, "input")
	}
	if x == nil && len(a.Vals) == 0 {
		x = a.Get(0, "shape")
	}
	switch short {
	case "make_layout":
		l := &cute.Layout{Shape: cute.ShapeOf(x), Stride: a.Get(-1, "stride")}
		if st := a.Get(1, "stride"); st != nil && st != (value.None{}) {
			l.Stride = st
		} else if l.Stride == (value.None{}) {
			l.Stride = nil
		}
		return l, true
	case "make_identity_layout":
		return &cute.Layout{Shape: cute.ShapeOf(x)}, true
	case "make_ordered_layout":
		return &cute.Layout{Shape: x, Stride: cute.OrderedStride(x, a.Get(1, "order"))}, true
	case "make_composed_layout":
		return &cute.Layout{Shape: cute.ShapeOf(a.Get(2, "outer")), Stride: value.Data{}}, true
	case "tile_to_shape":
		return &cute.Layout{Shape: cute.ShapeOf(a.Get(1, "trg_shape")), Stride: value.Data{}}, true
	case "recast_layout":
		return &cute.Layout{Shape: cute.ShapeOf(a.Get(2, "src_layout")), Stride: value.Data{}}, true
	case "size":
		return cute.SizeOf(x, a.Get(1, "mode")), true
	case "shape":
		if mode := a.Get(1, "mode"); mode != nil && mode != (value.None{}) {
			return cute.Pick(cute.ShapeOf(x), mode), true
		}
		return cute.ShapeOf(x), true
	case "rank":
		return cute.RankOf(x), true
	case "cosize":
		if l, ok := x.(*cute.Layout); ok {
			return l.Cosize(), true
		}
		return cute.Product(cute.ShapeOf(x)), true
	case "product":
		return cute.Product(x), true
	case "product_each":
		out := &value.Sequence{}
		for _, e := range cute.Modes(x) {
			out.Elems = append(out.Elems, cute.Product(e))
		}
		return out, true
	case "ceil_div", "shape_div":
		return cute.CeilDiv(x, value.FirstOf(a.Get(1, "tiler"), a.Get(1, "b"))), true
	case "round_up":
		y := a.Get(1, "b")
		return value.Binary("*", cute.CeilDiv(x, y), y), true
	case "assume", "FastDivmodDivisor", "fast_divmod_create_divisor": // a number that is quick to divide by
		return value.FirstOf(x, a.Get(0, "divisor"), value.Data{}), true
	case "size_in_bytes":
		l := a.Get(1, "layout")
		if l == (value.None{}) {
			return value.Int(0), true
		}
		var n value.Value
		if ly, ok := l.(*cute.Layout); ok {
			n = ly.Cosize()
		} else {
			n = cute.Product(cute.ShapeOf(l))
		}
		return value.Binary("//", value.Binary("*", n, cute.Width(x)), value.Int(8)), true
	case "flatten", "flatten_to_tuple":
		if _, ok := x.(*value.Sequence); ok {
			return &value.Sequence{Elems: cute.Flatten(x)}, true
		}
		return x, true
	case "coalesce", "filter_zeros", "filter":
		return x, true
	case "get_max_tmem_alloc_cols": // columns of tensor memory (PTX ISA 9.7.16.1)
		return value.Int(512), true
	case "get_min_tmem_alloc_cols":
		return value.Int(32), true
	case "make_tmem_layout_sfa", "make_tmem_layout_sfb":
		return memory.ScaleLayout(short == "make_tmem_layout_sfb", a, m.settle), true
	case "find_tmem_tensor_col_offset":
		return m.columnsAhead(value.FirstOf(x, a.Get(0, "tmem_tensor"))), true
	}
	return m.cuteModes(short, x, a)
}

// cuteModes evaluates what picks or joins modes.
func (m *machine) cuteModes(short string, x value.Value, a *value.Arguments) (value.Value, bool) {
	switch short {
	case "get", "select":
		mode := a.Get(1, "mode")
		if mode == nil {
			return nil, false
		}
		s := cute.NewShaped(x, short, 1+maxMode(mode))
		if l, ok := x.(*cute.Layout); ok && short == "get" {
			if _, unknown := l.Stride.(value.Data); unknown {
				return &cute.Layout{Shape: cute.Pick(l.Shape, mode), Stride: value.Data{}}, true
			}
			return &cute.Layout{Shape: cute.Pick(l.Shape, mode), Stride: cute.Pick(l.Strides(), mode)}, true
		}
		if short == "get" {
			return cute.Pick(cute.ShapeOf(x), mode), true
		}
		var shape, stride []value.Value
		outer := -1
		for _, i := range cute.Modes(mode) {
			n, ok := i.(value.Int)
			if !ok || int(n) >= len(s.Shape) || n < 0 {
				return value.Data{}, true
			}
			if int(n) == s.Outer {
				outer = len(shape)
			}
			shape = append(shape, s.Shape[n])
			if s.Stride != nil {
				stride = append(stride, s.Stride[n])
			}
		}
		return s.Result(shape, stride, outer), true
	case "append", "prepend", "append_ones", "prepend_ones":
		s := cute.NewShaped(x, short, 1)
		var more value.Value = value.Int(1)
		if !strings.HasSuffix(short, "ones") {
			more = a.Get(1, "elem")
		}
		mode := cute.ShapeOf(more)
		var step []value.Value
		if l, ok := more.(*cute.Layout); ok && s.Stride != nil {
			if _, unknown := l.Stride.(value.Data); !unknown {
				step = []value.Value{l.Strides()}
			}
		}
		if short[0] == 'p' {
			outer := s.Outer
			if outer >= 0 {
				outer++
			}
			return s.Result(append([]value.Value{mode}, s.Shape...), append(step, s.Stride...), outer), true
		}
		return s.Result(append(append([]value.Value{}, s.Shape...), mode), append(append([]value.Value{}, s.Stride...), step...), s.Outer), true
	case "group_modes":
		begin, ok1 := a.Get(1, "begin").(value.Int)
		end, ok2 := value.FirstOf(a.Get(2, "end"), value.Int(-1)).(value.Int)
		if !ok1 || !ok2 {
			return nil, false
		}
		return cute.GroupModes(x, int(begin), int(end)), true
	case "slice_":
		coord := value.FirstOf(a.Get(1, "coord"), value.Data{})
		switch v := x.(type) {
		case *cute.Layout:
			out := &cute.Layout{Shape: cute.LeftOf(v.Shape, coord), Stride: value.Data{}}
			if _, unknown := v.Stride.(value.Data); !unknown {
				out.Stride = cute.LeftOf(v.Strides(), coord)
			}
			return out, true
		case *cute.Tensor:
			if c, ok := coord.(*value.Sequence); ok {
				return v.Index(c), true
			}
		case value.Symbol:
			if c, ok := coord.(*value.Sequence); ok {
				return m.inputView(v, c), true
			}
		case *value.Sequence:
			return cute.LeftOf(v, coord), true
		}
	case "dice":
		if p, ok := a.Get(1, "dicer").(*value.Sequence); ok {
			return &value.Sequence{Elems: cute.Dice(p.Elems, cute.Modes(x))}, true
		}
	case "crd2idx":
		if l, ok := a.Get(1, "layout").(*cute.Layout); ok {
			return cute.Offset(l.Shape, l.Strides(), x), true
		}
	case "idx2crd":
		return cute.Coordinate(cute.ShapeOf(a.Get(1, "shape")), x), true
	case "make_layout_image_mask", "create_tma_multicast_mask":
		mode, ok := value.FirstOf(a.Get(2, "mode"), a.Get(2, "mcast_mode"), value.Data{}).(value.Int)
		if l, is := x.(*cute.Layout); is && ok {
			l := &cute.Layout{Shape: m.settleAll(l.Shape), Stride: m.settleAll(l.Strides())}
			if mask, ok := l.ImageMask(m.settleAll(value.FirstOf(a.Get(1, "coord"), value.Data{})), int(mode)); ok {
				return mask, true
			}
		}
	}
	return nil, false
}

func maxMode(mode value.Value) int {
	n := 0
	for _, i := range cute.Modes(mode) {
		if v, ok := i.(value.Int); ok && v < 64 {
			n = max(n, int(v))
		}
	}
	return n
}

// cuteDivide evaluates divisions by tilers.
func (m *machine) cuteDivide(_, short string, a *value.Arguments) (value.Value, bool) {
	x := value.FirstOf(a.Get(0, "input"), a.Get(0, "target"), a.Get(0, "layout"))
	tiler := value.FirstOf(a.Get(1, "tiler"), value.Int(1))
	switch short {
	case "logical_divide":
		return cute.Divide(x, tiler, short).Logical(), true
	case "zipped_divide":
		return cute.Divide(x, tiler, short).Zipped(), true
	case "tiled_divide":
		return cute.Divide(x, tiler, short).Tiled(), true
	case "flat_divide":
		return cute.Divide(x, tiler, short).Flat(), true
	case "local_tile":
		return cute.LocalTile(x, tiler, value.FirstOf(a.Get(2, "coord"), value.Int(0)), a.Get(3, "proj")), true
	case "local_partition":
		return m.partition(x, nil, short), true
	}
	return nil, false
}

// compilersMemory is tensor memory or registers that the compiler finds room for: it reserves the columns and gives them back.
func (m *machine) compilersMemory(a *value.Arguments) (value.Value, bool) {
	dtype, space, layout := a.Get(0, "type"), a.Get(1, "address_space"), value.FirstOf(a.Get(2, "layout"), value.Data{})
	switch name, _ := space.(value.Path); {
	case m.host:
	case cute.InTensorMemory(space):
		m.reserveTensorMemory(a.Node, value.Data{})
		m.in.columns.Freed = true
		if p, ok := m.columnPointer(dtype).(value.Pointer); ok {
			return m.columnTensor(p, cute.ShapeOf(layout), cute.StridesOf(layout)), true
		}
	case value.LastWord(string(name)) == "rmem":
		return m.cuteTensor("", "make_rmem_tensor", &value.Arguments{Vals: []value.Value{layout, value.FirstOf(dtype, value.Data{})}})
	default:
		m.in.unread = true
		m.noteOpaque(a.Node.Where(), limit.Call.Says("memory that is allocated in an address space that is not known"), true)
	}
	return value.Data{}, true
}

// cuteTensor evaluates what makes tensors and views of them.
func (m *machine) cuteTensor(_, short string, a *value.Arguments) (value.Value, bool) {
	x := a.Get(0, "iterator")
	switch short {
	case "make_tensor":
		l := a.Get(1, "layout")
		p, ok := x.(value.Pointer)
		if of, is := x.(*cute.Tensor); is {
			return of.RegistersAs(value.FirstOf(l, value.Data{})), true
		}
		if !ok {
			t := &cute.Tensor{Name: "make_tensor" + cute.CanonicalArgs(a.All()), Shape: cute.ShapeOf(l), Outer: -1}
			if sym, ok := x.(value.Symbol); ok {
				m.laid(t, sym, l)
			}
			return t, true
		}
		if p.Block.InColumns() && l != nil {
			if ly, ok := l.(*cute.Layout); ok && ly.Scales {
				p = p.OfType(value.OfScales(p.Elem))
			}
			return m.columnTensor(p, cute.ShapeOf(l), cute.StridesOf(l)), true
		}
		switch ly := l.(type) {
		case *cute.Layout:
			if p.Block.Shared && !p.Block.Mbarrier {
				return cute.SharedTensor(p, ly.Shape, ly.Stride, p.Elem), true
			}
		case *value.Sequence, value.Int:
			if p.Block.Shared && !p.Block.Mbarrier && p.Elem != nil {
				return cute.SharedTensor(p, ly, nil, p.Elem), true
			}
		}
		return p, true
	case "make_rmem_tensor", "make_fragment", "make_rmem_tensor_like", "make_fragment_like", "make_identity_tensor":
		x = value.FirstOf(a.Get(0, "shape"), a.Get(0, "src"), a.Get(0, "layout"), value.Data{})
		t := &cute.Tensor{Name: short + cute.CanonicalArgs(a.All()), Shape: cute.ShapeOf(x), Dtype: a.Get(1, "dtype"), Outer: -1}
		t.Local = true // of an identity nothing is in memory
		if short != "make_identity_tensor" && !m.host {
			t.Registers = new(cute.RegisterFile)
			t.Values = cute.Registers(t.Shape)
		}
		return t, true
	case "allocate":
		return m.compilersMemory(a)
	case "recast_tensor":
		of := value.FirstOf(a.Get(0, "src"), a.Get(0, "tensor"))
		if sym, ok := of.(value.Symbol); ok {
			of = cute.ViewOf(sym, 0)
		}
		if t, ok := of.(*cute.Tensor); ok {
			return t.Recast(a.Get(1, "dtype")), true
		}
	case "recast_ptr":
		of := value.FirstOf(a.Get(0, "ptr"))
		if t, is := of.(*cute.Tensor); is {
			return t.OfType(a.Get(2, "dtype")), true
		}
		p, ok := of.(value.Pointer)
		if d := a.Get(2, "dtype"); ok && d != nil {
			p = p.OfType(d)
		}
		return p, ok
	case "domain_offset":
		return cute.Shifted(a.Get(1, "tensor"), a.Get(0, "coord"))
	case "composition":
		if v := m.composition(a.Get(0, "lhs"), a.Get(1, "rhs"), short); v != nil {
			return v, true
		}
	case "tma_partition":
		return cute.TmaPartition(a.Get(2, "cta_layout"), a.Get(3, "smem_tensor"), a.Get(4, "gmem_tensor")), true
	}
	return nil, false
}
