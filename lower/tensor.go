package lower

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// tensor is a CuTe tensor or a view of one. Of a tensor in shared memory it says which stages of which block it
// covers; of one in global memory, tensor memory or registers only the shape matters.
type tensor struct {
	name  string // canonical: the unknown extents of two tensors of one name are the same
	shape value.Value
	dtype value.Value // element type, nil where not known

	block  *value.Block // shared memory; nil elsewhere
	cta    value.Value  // as in pointer
	first  value.Value  // element of the block where stage 0 starts, in elements of this tensor
	span   value.Value  // elements of one stage
	stages value.Value  // how many
	stage  value.Value  // the one that is meant; nil for all
	outer  int          // the mode that counts the stages, -1 where there is none
	lost   bool         // a part whose stage is not known
	adrift bool         // a part of the block that may lie beyond the stages
	part   bool         // a part of its stage, and which elements is not known
	picked bool         // a part of each stage, at coordinates of modes that count no stages
	maybe  bool         // a predicate says whether it is touched at all
	mma    *tiledMMA
	split  bool  // the threads divide it among themselves
	share  int   // which of the ways to divide it, 0 where not known
	deal   int   // how it is dealt out to warps, 0 where not known
	wide   bool  // each element is some thread's of several warps
	boxes  int64 // CTAs that a multicast copy divides it among; 0 is 1, -1 not known
	input  bool  // a parameter of the kernel, or what the coordinates in its name leave of one

	steps   value.Value     // shared and global memory: the strides of shape where they are known, else nil
	origin  value.Value     // with steps: the element of the block where the view starts
	root    string          // global memory: the parameter that it is a view of, "" where that is not known
	base    *value.Expr     // global memory: that parameter, or an address, where steps count its elements (viewOf)
	rank    int             // with base: the modes of the parameter, 0 of an address
	ways    string          // global memory: how it has been divided
	cuts    *value.Cut      // global memory: the coordinates at which it was cut
	local   bool            // registers
	content *value.Sequence // registers: what they hold, nil where that is not followed

	layout    value.Value   // tensor memory: the strides of shape where they are known, else nil
	registers *registerFile // registers: which, whatever the view of them; nil elsewhere
}

func (t *tensor) Spell(*int) string        { return t.name }
func (t *tensor) Content() *value.Sequence { return t.content }
func (t *tensor) Replaced(part func(value.Value) value.Value) value.Value {
	out := *t
	out.shape = part(t.shape)
	return &out
}
func (t *tensor) Uniform(*int) bool { return true }

func (t *tensor) extent(i int) value.Value { return part(t.shape, i) }

// sharedTensor lays a layout over shared memory. Its last mode counts stages where it is the outermost one in memory,
// or where the strides are not known and there are a tile's two modes before it, as every staged layout of the
// library has it (notes/cutedsl.md 1.5). Where that cannot be told, the view is not followed: as one whole it would be
// in the way of its own stages.
func sharedTensor(p value.Pointer, shape, stride, dtype value.Value) *tensor {
	switch { // counted in elements of the view
	case p.Each > 1:
		p.Offset = value.Binary("//", p.Offset, value.Int(p.Each))
	case p.Each == value.Odd && p.Offset != value.Int(0):
		p.Offset = value.Data{}
	}
	t := &tensor{name: p.Block.Name, shape: shape, dtype: dtype, block: p.Block, cta: p.Cta, first: p.Offset,
		span: product(shape), stages: value.Int(1), outer: -1}
	if _, unknown := stride.(value.Data); !unknown {
		t.steps, t.origin = (&layout{shape: shape, stride: stride}).strides(), p.Offset
	}
	ms := modes(shape)
	last := len(ms) - 1
	if last < 1 {
		switch shape.(type) {
		case value.Int, *value.Sequence:
		default:
			t.lost, t.adrift = true, true // it may have stages
		}
		return t
	}
	if n, ok := product(ms[last]).(value.Int); ok && last == 1 && n > maxStages {
		return t // a tile of two modes
	}
	inner := product(&value.Sequence{Elems: ms[:last]})
	step := inner
	if stride != nil {
		if _, unknown := stride.(value.Data); unknown {
			if last < 2 {
				t.lost, t.adrift = true, true
				return t
			}
		} else {
			x, okx := part(stride, last).(value.Int)
			// Strides of zero repeat elements: a row broadcast over a tile is no larger than the row.
			n, okn := (&layout{shape: &value.Sequence{Elems: ms[:last]}, stride: &value.Sequence{Elems: modes(stride)[:min(last, len(modes(stride)))]}}).cosize().(value.Int)
			if !okx || !okn || x < n {
				// With more or fewer strides than extents the shape is not the kernel's: what is where is not known.
				t.lost = !okx || !okn || len(flatten(shape)) != len(flatten(stride))
				t.adrift = t.lost
				return t
			}
			step = x
		}
	}
	t.span, t.stages, t.outer = step, product(ms[last]), last
	return t
}

// maxStages is the longest ring that the last of two modes is taken for.
const maxStages = 8

// index is t[coordinate]: what None keeps.
func (t *tensor) index(coord *value.Sequence) *tensor {
	t.escape()
	v := *t
	v.cutAt(coord)
	if v.steps != nil && t.block == nil && !congruent(t.shape, coord) {
		v.steps = nil
	}
	if v.steps != nil {
		v.origin, v.steps = value.Binary("+", t.origin, offset(t.shape, t.steps, coord)), leftOf(t.steps, coord)
	}
	if v.layout != nil {
		v.layout = leftOf(v.layout, coord)
	}
	v.shape = &value.Sequence{}
	out := &value.Sequence{}
	v.outer = -1
	for i, c := range coord.Elems {
		if hasNone(c) {
			if i == t.outer {
				v.outer = len(out.Elems)
			}
			out.Elems = append(out.Elems, kept(t.extent(i), c)...)
		}
		v.picked = v.picked || i != t.outer && !allNone(c) && !one(product(t.extent(i)))
	}
	v.shape = out
	if t.outer >= 0 && t.outer < len(coord.Elems) {
		switch c := coord.Elems[t.outer].(type) {
		case value.None:
		case *value.Sequence:
			if !hasNone(c) {
				v.stage = offset(t.extent(t.outer), (&layout{shape: t.extent(t.outer)}).strides(), c)
			} else if !allNone(c) {
				v.lost = true
			}
		default:
			v.stage = c
		}
	}
	if t.outer >= 0 && len(coord.Elems) != len(modes(t.shape)) {
		v.lost = true // the tensor has other modes than it is taken to have, and which of them counts stages does not show
	}
	v.name = t.name + "[" + strings.Trim(value.Canonical(coord), "()") + "]"
	return v.clip()
}

func allNone(v value.Value) bool {
	s, ok := v.(*value.Sequence)
	if !ok {
		_, is := v.(value.None)
		return is
	}
	for _, e := range s.Elems {
		if !allNone(e) {
			return false
		}
	}
	return true
}

func (t *tensor) clip() *tensor {
	if len(t.name) > 160 {
		t.name = t.name[:80] + "…" + strconv.Itoa(len(t.name)) + t.name[len(t.name)-60:]
		t.input = false
	}
	return t
}

// with is a view of the same memory with another shape, whose stage mode is outer.
func (t *tensor) with(name string, shape value.Value, outer int) *tensor {
	t.escape()
	v := *t
	v.name, v.shape, v.input, v.steps, v.layout = name+"("+t.name+")", shape, false, nil, nil
	v.dividedBy(name, shape)
	if t.outer >= 0 && outer < 0 {
		v.lost = v.lost || !one(t.stages)
	}
	v.outer = outer
	if t.outer < 0 {
		v.outer = -1
	}
	return v.clip()
}

// one reports whether an extent is known to be 1.
func one(v value.Value) bool { n, ok := v.(value.Int); return ok && n == 1 }

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
func (m *machine) memberOf(t *tensor, name string) value.Value {
	switch name {
	case "shape":
		return t.shape
	case "layout":
		if t.layout != nil {
			return &layout{shape: t.shape, stride: t.layout}
		}
		if t.steps != nil && t.rank == 0 {
			return &layout{shape: t.shape, stride: t.steps}
		}
		if last := len(modes(t.shape)) - 1; last > 0 && t.outer == last && t.block != nil && t.stage == nil && !t.lost && !t.part {
			return &layout{shape: t.shape, stride: value.Data{}, step: t.span}
		}
		return &layout{shape: t.shape, stride: value.Data{}}
	case "outer":
		return t
	case "element_type", "dtype", "value_type":
		if t.dtype != nil {
			return t.dtype
		}
		return m.elementType(t.name, value.ElementType)
	case "memspace":
		if t.block.InColumns() {
			return value.Path("cutlass.AddressSpace.tmem")
		}
		if t.block != nil {
			return value.Path("cutlass.AddressSpace.smem")
		}
		if t.inRegisters() {
			return value.Path("cutlass.AddressSpace.rmem")
		}
		return value.Path("cutlass.AddressSpace.gmem")
	case "iterator", "ptr":
		if p, ok := m.globalStart(t); ok {
			return p
		}
		if t.block == nil {
			m.readsRegisters(t, m.at)
			return value.Data{}
		}
		if t.block.InColumns() {
			p, _ := m.columnPointer(t.dtype).(value.Pointer)
			p.Offset, p.Cta = p.Counted(t.start()), t.cta
			return p
		}
		return value.Pointer{Block: t.block, Offset: t.start(), Cta: t.cta, Elem: t.dtype}
	}
	return value.Data{}
}

// start is the element where the view starts.
func (t *tensor) start() value.Value {
	switch {
	case t.lost || t.adrift || t.part || t.split:
		return value.Data{}
	case t.steps != nil:
		return t.origin
	case t.picked:
		return value.Data{}
	case t.stage == nil:
		return t.first
	}
	return value.Binary("+", t.first, value.Binary("*", t.stage, t.span))
}
