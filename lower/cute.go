package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// cuteNames are functions of CuTe with common names: only a path that starts in the DSL means them.
var cuteNames = map[string]bool{"size": true, "shape": true, "rank": true, "get": true, "select": true, "append": true, "prepend": true,
	"copy": true, "gemm": true, "flatten": true, "product": true, "filter": true, "round_up": true, "composition": true, "dice": true,
	"slice_": true, "prefetch": true, "ceil_div": true, "depth": true, "is_static": true, "assume": true}

// cute evaluates a function of CuTe's layout algebra or of its copy and multiply atoms. It answers false for any other.
func (m *machine) cute(name, short string, a *arguments, n program.Node) (value, bool) {
	if !knownCute(short) || strings.HasPrefix(name, "cutlass._mlir.") { // instructions
		return nil, false
	}
	if cuteNames[short] && !strings.HasPrefix(name, "cute.") && !strings.HasPrefix(name, "cutlass.") {
		return nil, false
	}
	located := *a
	located.node = n
	a = &located
	for _, f := range []func(string, string, *arguments) (value, bool){m.cuteShape, m.cuteDivide, m.cuteTensor, m.cuteAtom} {
		if v, ok := f(name, short, a); ok {
			return v, true
		}
	}
	m.loseTensors(a.all(), "handed to "+clip(name)+", which is not modelled")
	if args := a.all(); uniformSymbol(&sequence{elems: args}) && len(name) < 200 {
		return atom(name + canonicalArgs(args)), true
	}
	return data{}, true
}

// knownCute reports whether a function is one of those that cute evaluates.
func knownCute(short string) bool {
	switch short {
	case "make_layout", "make_identity_layout", "make_ordered_layout", "make_composed_layout", "tile_to_shape", "recast_layout",
		"size", "shape", "rank", "cosize", "get", "select", "append", "prepend", "append_ones", "prepend_ones", "group_modes", "slice_", "dice",
		"flatten", "flatten_to_tuple", "get_max_tmem_alloc_cols", "get_min_tmem_alloc_cols", "find_tmem_tensor_col_offset", "coalesce", "filter_zeros", "filter", "product_each", "product", "ceil_div", "round_up", "shape_div",
		"size_in_bytes", "FastDivmodDivisor", "fast_divmod_create_divisor", "crd2idx", "idx2crd", "make_layout_image_mask", "create_tma_multicast_mask", "assume",
		"logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "local_tile", "local_partition",
		"make_tensor", "make_identity_tensor", "make_rmem_tensor", "make_fragment", "make_rmem_tensor_like", "make_fragment_like",
		"recast_tensor", "recast_ptr", "domain_offset", "composition", "tma_partition", "copy", "autovec_copy", "basic_copy", "basic_copy_if", "copy_atom_call", "gemm", "prefetch",
		"make_tiled_tma_atom", "make_tiled_tma_atom_A", "make_tiled_tma_atom_B", "make_copy_atom", "CopyAtom", "make_tiled_copy", "make_tiled_copy_tv", "make_cotiled_copy",
		"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D", "make_tiled_copy_S", "make_tiled_copy_C_atom",
		"make_tmem_copy", "make_s2t_copy", "get_tmem_load_op", "get_s2t_smem_desc_tensor", "make_tiled_mma", "make_mma_atom", "make_trivial_tiled_mma", "make_blockscaled_trivial_tiled_mma",
		"make_smem_layout", "make_smem_layout_a", "make_smem_layout_b", "make_smem_layout_epi", "make_smem_layout_sfa", "make_smem_layout_sfb", "make_tmem_layout_sfa", "make_tmem_layout_sfb":
		return true
	}
	return strings.HasSuffix(short, "Op") && (strings.HasPrefix(short, "Mma") || strings.HasPrefix(short, "SM103Mma") || strings.HasPrefix(short, "Copy") || strings.HasPrefix(short, "Cp") || warpWide(short))
}

// cuteShape evaluates what asks for or makes shapes and layouts.
func (m *machine) cuteShape(_, short string, a *arguments) (value, bool) {
	x := a.get(0, "layout")
	if x == nil {
		x = a.get(0, "input")
	}
	if x == nil && len(a.vals) == 0 {
		x = a.get(0, "shape")
	}
	switch short {
	case "make_layout":
		l := &layout{shape: shapeOf(x), stride: a.get(-1, "stride")}
		if st := a.get(1, "stride"); st != nil && st != (none{}) {
			l.stride = st
		} else if l.stride == (none{}) {
			l.stride = nil
		}
		return l, true
	case "make_identity_layout":
		return &layout{shape: shapeOf(x)}, true
	case "make_ordered_layout":
		return &layout{shape: x, stride: orderedStride(x, a.get(1, "order"))}, true
	case "make_composed_layout":
		return &layout{shape: shapeOf(a.get(2, "outer")), stride: data{}}, true
	case "tile_to_shape":
		return &layout{shape: shapeOf(a.get(1, "trg_shape")), stride: data{}}, true
	case "recast_layout":
		return &layout{shape: shapeOf(a.get(2, "src_layout")), stride: data{}}, true
	case "size":
		return sizeOf(x, a.get(1, "mode")), true
	case "shape":
		if mode := a.get(1, "mode"); mode != nil && mode != (none{}) {
			return pick(shapeOf(x), mode), true
		}
		return shapeOf(x), true
	case "rank":
		return rankOf(x), true
	case "cosize":
		if l, ok := x.(*layout); ok {
			return l.cosize(), true
		}
		return product(shapeOf(x)), true
	case "product":
		return product(x), true
	case "product_each":
		out := &sequence{}
		for _, e := range modes(x) {
			out.elems = append(out.elems, product(e))
		}
		return out, true
	case "ceil_div", "shape_div":
		return ceilDiv(x, firstOf(a.get(1, "tiler"), a.get(1, "b"))), true
	case "round_up":
		y := a.get(1, "b")
		return binary("*", ceilDiv(x, y), y), true
	case "assume", "FastDivmodDivisor", "fast_divmod_create_divisor": // a number that is quick to divide by
		return firstOf(x, a.get(0, "divisor"), data{}), true
	case "size_in_bytes":
		l := a.get(1, "layout")
		if l == (none{}) {
			return integer(0), true
		}
		var n value
		if ly, ok := l.(*layout); ok {
			n = ly.cosize()
		} else {
			n = product(shapeOf(l))
		}
		return binary("//", binary("*", n, width(x)), integer(8)), true
	case "flatten", "flatten_to_tuple":
		if _, ok := x.(*sequence); ok {
			return &sequence{elems: flatten(x)}, true
		}
		return x, true
	case "coalesce", "filter_zeros", "filter":
		return x, true
	case "get_max_tmem_alloc_cols": // columns of tensor memory (PTX ISA 9.7.16.1)
		return integer(512), true
	case "get_min_tmem_alloc_cols":
		return integer(32), true
	case "make_tmem_layout_sfa", "make_tmem_layout_sfb":
		return m.scaleLayout(short == "make_tmem_layout_sfb", a), true
	case "find_tmem_tensor_col_offset":
		return m.columnsAhead(firstOf(x, a.get(0, "tmem_tensor"))), true
	}
	return m.cuteModes(short, x, a)
}

// firstOf is the first value that is one.
func firstOf(vs ...value) value {
	for _, v := range vs {
		if v != nil {
			return v
		}
	}
	return nil
}

// cuteModes evaluates what picks or joins modes.
func (m *machine) cuteModes(short string, x value, a *arguments) (value, bool) {
	switch short {
	case "get", "select":
		mode := a.get(1, "mode")
		if mode == nil {
			return nil, false
		}
		s := newShaped(x, short, 1+maxMode(mode))
		if l, ok := x.(*layout); ok && short == "get" {
			if _, unknown := l.stride.(data); unknown {
				return &layout{shape: pick(l.shape, mode), stride: data{}}, true
			}
			return &layout{shape: pick(l.shape, mode), stride: pick(l.strides(), mode)}, true
		}
		if short == "get" {
			return pick(shapeOf(x), mode), true
		}
		var shape, stride []value
		outer := -1
		for _, i := range modes(mode) {
			n, ok := i.(integer)
			if !ok || int(n) >= len(s.shape) || n < 0 {
				return data{}, true
			}
			if int(n) == s.outer {
				outer = len(shape)
			}
			shape = append(shape, s.shape[n])
			if s.stride != nil {
				stride = append(stride, s.stride[n])
			}
		}
		return s.result(shape, stride, outer), true
	case "append", "prepend", "append_ones", "prepend_ones":
		s := newShaped(x, short, 1)
		var more value = integer(1)
		if !strings.HasSuffix(short, "ones") {
			more = a.get(1, "elem")
		}
		mode := shapeOf(more)
		var step []value
		if l, ok := more.(*layout); ok && s.stride != nil {
			if _, unknown := l.stride.(data); !unknown {
				step = []value{l.strides()}
			}
		}
		if short[0] == 'p' {
			outer := s.outer
			if outer >= 0 {
				outer++
			}
			return s.result(append([]value{mode}, s.shape...), append(step, s.stride...), outer), true
		}
		return s.result(append(append([]value{}, s.shape...), mode), append(append([]value{}, s.stride...), step...), s.outer), true
	case "group_modes":
		begin, ok1 := a.get(1, "begin").(integer)
		end, ok2 := firstOf(a.get(2, "end"), integer(-1)).(integer)
		if !ok1 || !ok2 {
			return nil, false
		}
		return groupModes(x, int(begin), int(end)), true
	case "slice_":
		coord := firstOf(a.get(1, "coord"), data{})
		switch v := x.(type) {
		case *layout:
			out := &layout{shape: leftOf(v.shape, coord), stride: data{}}
			if _, unknown := v.stride.(data); !unknown {
				out.stride = leftOf(v.strides(), coord)
			}
			return out, true
		case *tensor:
			if c, ok := coord.(*sequence); ok {
				return v.index(c), true
			}
		case symbol:
			if c, ok := coord.(*sequence); ok {
				return m.inputView(v, c), true
			}
		case *sequence:
			return leftOf(v, coord), true
		}
	case "dice":
		if p, ok := a.get(1, "dicer").(*sequence); ok {
			return &sequence{elems: dice(p.elems, modes(x))}, true
		}
	case "crd2idx":
		if l, ok := a.get(1, "layout").(*layout); ok {
			return offset(l.shape, l.strides(), x), true
		}
	case "idx2crd":
		return coordinate(shapeOf(a.get(1, "shape")), x), true
	case "make_layout_image_mask", "create_tma_multicast_mask":
		mode, ok := firstOf(a.get(2, "mode"), a.get(2, "mcast_mode"), data{}).(integer)
		if l, is := x.(*layout); is && ok {
			l := &layout{shape: m.settleAll(l.shape), stride: m.settleAll(l.strides())}
			if mask, ok := l.imageMask(m.settleAll(firstOf(a.get(1, "coord"), data{})), int(mode)); ok {
				return mask, true
			}
		}
	}
	return nil, false
}

func maxMode(mode value) int {
	n := 0
	for _, i := range modes(mode) {
		if v, ok := i.(integer); ok && v < 64 {
			n = max(n, int(v))
		}
	}
	return n
}

// cuteDivide evaluates divisions by tilers.
func (m *machine) cuteDivide(_, short string, a *arguments) (value, bool) {
	x := firstOf(a.get(0, "input"), a.get(0, "target"), a.get(0, "layout"))
	tiler := firstOf(a.get(1, "tiler"), integer(1))
	switch short {
	case "logical_divide":
		return divide(x, tiler, short).logical(), true
	case "zipped_divide":
		return divide(x, tiler, short).zipped(), true
	case "tiled_divide":
		return divide(x, tiler, short).tiled(), true
	case "flat_divide":
		return divide(x, tiler, short).flat(), true
	case "local_tile":
		return localTile(x, tiler, firstOf(a.get(2, "coord"), integer(0)), a.get(3, "proj")), true
	case "local_partition":
		return m.partition(x, nil, short), true
	}
	return nil, false
}

// cuteTensor evaluates what makes tensors and views of them.
func (m *machine) cuteTensor(_, short string, a *arguments) (value, bool) {
	x := a.get(0, "iterator")
	switch short {
	case "make_tensor":
		l := a.get(1, "layout")
		p, ok := x.(pointer)
		if !ok {
			t := &tensor{name: "make_tensor" + canonicalArgs(a.all()), shape: shapeOf(l), outer: -1}
			if sym, ok := x.(symbol); ok {
				m.laid(t, sym, l)
			}
			return t, true
		}
		if p.block.inColumns() && l != nil {
			return m.columnTensor(p, shapeOf(l), stridesOf(l)), true
		}
		switch ly := l.(type) {
		case *layout:
			if p.block.shared && !p.block.mbarrier {
				return sharedTensor(p, ly.shape, ly.stride, p.elem), true
			}
		case *sequence, integer:
			if p.block.shared && !p.block.mbarrier && p.elem != nil {
				return sharedTensor(p, ly, nil, p.elem), true
			}
		}
		return p, true
	case "make_rmem_tensor", "make_fragment", "make_rmem_tensor_like", "make_fragment_like", "make_identity_tensor":
		x = firstOf(a.get(0, "shape"), a.get(0, "src"), a.get(0, "layout"), data{})
		t := &tensor{name: short + canonicalArgs(a.all()), shape: shapeOf(x), dtype: a.get(1, "dtype"), outer: -1}
		t.local = true // of an identity nothing is in memory
		if short != "make_identity_tensor" && !m.host {
			t.registers = new(registerFile)
			t.content = registers(t.shape)
		}
		return t, true
	case "recast_tensor":
		of := firstOf(a.get(0, "src"), a.get(0, "tensor"))
		if sym, ok := of.(symbol); ok {
			of = viewOf(sym, 0)
		}
		if t, ok := of.(*tensor); ok {
			return t.recast(a.get(1, "dtype")), true
		}
	case "recast_ptr":
		p, ok := firstOf(a.get(0, "ptr")).(pointer)
		if d := a.get(2, "dtype"); ok && d != nil {
			p = p.ofType(d)
		}
		return p, ok
	case "domain_offset":
		return shifted(a.get(1, "tensor"), a.get(0, "coord"))
	case "composition":
		if v := m.composition(a.get(0, "lhs"), a.get(1, "rhs"), short); v != nil {
			return v, true
		}
	case "tma_partition":
		return tmaPartition(a.get(2, "cta_layout"), a.get(3, "smem_tensor"), a.get(4, "gmem_tensor")), true
	}
	return nil, false
}

// rescaled is a shape counted in elements of another width: its first extent changes, as far as that comes out even.
func rescaled(shape value, from, to int64) (value, bool) {
	switch v := shape.(type) {
	case integer:
		if int64(v)*from%to == 0 {
			return integer(int64(v) * from / to), true
		}
	case *sequence:
		for i, e := range v.elems {
			if x, ok := rescaled(e, from, to); ok {
				out := &sequence{elems: append([]value{}, v.elems...)}
				out.elems[i] = x
				return out, true
			}
		}
	}
	return shape, false
}

// recast is the same memory read as another type. The stages stay; their extents are known where both widths are.
func (t *tensor) recast(dtype value) *tensor {
	out := t.with("recast", t.shape, t.outer)
	from, to := bitsOf(firstOf(t.dtype, data{})), bitsOf(firstOf(dtype, data{}))
	out.dtype = dtype
	if t.block == nil {
		if from > 0 && to > 0 {
			out.shape, _ = rescaled(t.shape, from, to)
		}
		return out
	}
	if from == 0 || to == 0 {
		out.dtype = t.dtype // counted in the old type's elements
		return out
	}
	scale := func(v value) value { return binary("//", binary("*", v, integer(from)), integer(to)) }
	out.first, out.span = scale(t.first), scale(t.span)
	return out
}
