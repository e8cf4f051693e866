package lower

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Tensor is a CuTe tensor or a view of one. Of a tensor in shared memory it says which stages of which block it
// covers; of one in global memory, tensor memory or registers only the shape matters.
type Tensor struct {
	Name  string // canonical: the unknown extents of two tensors of one name are the same
	Shape value.Value
	Dtype value.Value // element type, nil where not known

	Block  *value.Block // shared memory; nil elsewhere
	Cta    value.Value  // as in pointer
	First  value.Value  // element of the block where stage 0 starts, in elements of this tensor
	Span   value.Value  // elements of one stage
	Stages value.Value  // how many
	Stage  value.Value  // the one that is meant; nil for all
	Outer  int          // the mode that counts the stages, -1 where there is none
	Lost   bool         // a part whose stage is not known
	Adrift bool         // a part of the block that may lie beyond the stages
	Part   bool         // a part of its stage, and which elements is not known
	Picked bool         // a part of each stage, at coordinates of modes that count no stages
	Maybe  bool         // a predicate says whether it is touched at all
	Mma    *TiledMMA
	Split  bool  // the threads divide it among themselves
	Share  int   // which of the ways to divide it, 0 where not known
	Deal   int   // how it is dealt out to warps, 0 where not known
	Wide   bool  // each element is some thread's of several warps
	Boxes  int64 // CTAs that a multicast copy divides it among; 0 is 1, -1 not known
	Input  bool  // a parameter of the kernel, or what the coordinates in its name leave of one

	Steps  value.Value     // shared and global memory: the strides of shape where they are known, else nil
	Origin value.Value     // with steps: the element of the block where the view starts
	Root   string          // global memory: the parameter that it is a view of, "" where that is not known
	Base   *value.Expr     // global memory: that parameter, or an address, where steps count its elements (viewOf)
	Rank   int             // with base: the modes of the parameter, 0 of an address
	Ways   string          // global memory: how it has been divided
	Cuts   *value.Cut      // global memory: the coordinates at which it was cut
	Local  bool            // registers
	Values *value.Sequence // registers: what they hold, nil where that is not followed

	Layout    value.Value   // tensor memory: the strides of shape where they are known, else nil
	Registers *RegisterFile // Registers: which, whatever the view of them; nil elsewhere
}

func (t *Tensor) Spell(*int) string        { return t.Name }
func (t *Tensor) Content() *value.Sequence { return t.Values }
func (t *Tensor) Replaced(part func(value.Value) value.Value) value.Value {
	out := *t
	out.Shape = part(t.Shape)
	return &out
}
func (t *Tensor) Uniform(*int) bool { return true }

func (t *Tensor) extent(i int) value.Value { return Part(t.Shape, i) }

// SharedTensor lays a layout over shared memory. Its last mode counts stages where it is the outermost one in memory,
// or where the strides are not known and there are a tile's two modes before it, as every staged layout of the
// library has it (notes/cutedsl.md 1.5). Where that cannot be told, the view is not followed: as one whole it would be
// in the way of its own stages.
func SharedTensor(p value.Pointer, shape, stride, dtype value.Value) *Tensor {
	switch { // counted in elements of the view
	case p.Each > 1:
		p.Offset = value.Binary("//", p.Offset, value.Int(p.Each))
	case p.Each == value.Odd && p.Offset != value.Int(0):
		p.Offset = value.Data{}
	}
	t := &Tensor{Name: p.Block.Name, Shape: shape, Dtype: dtype, Block: p.Block, Cta: p.Cta, First: p.Offset,
		Span: Product(shape), Stages: value.Int(1), Outer: -1}
	if _, unknown := stride.(value.Data); !unknown {
		t.Steps, t.Origin = (&Layout{Shape: shape, Stride: stride}).Strides(), p.Offset
	}
	ms := Modes(shape)
	last := len(ms) - 1
	if last < 1 {
		switch shape.(type) {
		case value.Int, *value.Sequence:
		default:
			t.Lost, t.Adrift = true, true // it may have stages
		}
		return t
	}
	if n, ok := Product(ms[last]).(value.Int); ok && last == 1 && n > maxStages {
		return t // a tile of two modes
	}
	inner := Product(&value.Sequence{Elems: ms[:last]})
	step := inner
	if stride != nil {
		if _, unknown := stride.(value.Data); unknown {
			if last < 2 {
				t.Lost, t.Adrift = true, true
				return t
			}
		} else {
			x, okx := Part(stride, last).(value.Int)
			// Strides of zero repeat elements: a row broadcast over a tile is no larger than the row.
			n, okn := (&Layout{Shape: &value.Sequence{Elems: ms[:last]}, Stride: &value.Sequence{Elems: Modes(stride)[:min(last, len(Modes(stride)))]}}).Cosize().(value.Int)
			if !okx || !okn || x < n {
				// With more or fewer strides than extents the shape is not the kernel's: what is where is not known.
				t.Lost = !okx || !okn || len(Flatten(shape)) != len(Flatten(stride))
				t.Adrift = t.Lost
				return t
			}
			step = x
		}
	}
	t.Span, t.Stages, t.Outer = step, Product(ms[last]), last
	return t
}

// maxStages is the longest ring that the last of two modes is taken for.
const maxStages = 8

// Index is t[coordinate]: what None keeps.
func (t *Tensor) Index(coord *value.Sequence) *Tensor {
	t.Escape()
	v := *t
	v.cutAt(coord)
	if v.Steps != nil && t.Block == nil && !Congruent(t.Shape, coord) {
		v.Steps = nil
	}
	if v.Steps != nil {
		v.Origin, v.Steps = value.Binary("+", t.Origin, Offset(t.Shape, t.Steps, coord)), LeftOf(t.Steps, coord)
	}
	if v.Layout != nil {
		v.Layout = LeftOf(v.Layout, coord)
	}
	v.Shape = &value.Sequence{}
	out := &value.Sequence{}
	v.Outer = -1
	for i, c := range coord.Elems {
		if HasNone(c) {
			if i == t.Outer {
				v.Outer = len(out.Elems)
			}
			out.Elems = append(out.Elems, kept(t.extent(i), c)...)
		}
		v.Picked = v.Picked || i != t.Outer && !allNone(c) && !IsOne(Product(t.extent(i)))
	}
	v.Shape = out
	if t.Outer >= 0 && t.Outer < len(coord.Elems) {
		switch c := coord.Elems[t.Outer].(type) {
		case value.None:
		case *value.Sequence:
			if !HasNone(c) {
				v.Stage = Offset(t.extent(t.Outer), (&Layout{Shape: t.extent(t.Outer)}).Strides(), c)
			} else if !allNone(c) {
				v.Lost = true
			}
		default:
			v.Stage = c
		}
	}
	if t.Outer >= 0 && len(coord.Elems) != len(Modes(t.Shape)) {
		v.Lost = true // the tensor has other modes than it is taken to have, and which of them counts stages does not show
	}
	v.Name = t.Name + "[" + strings.Trim(value.Canonical(coord), "()") + "]"
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

func (t *Tensor) clip() *Tensor {
	if len(t.Name) > 160 {
		t.Name = t.Name[:80] + "…" + strconv.Itoa(len(t.Name)) + t.Name[len(t.Name)-60:]
		t.Input = false
	}
	return t
}

// With is a view of the same memory with another shape, whose stage mode is outer.
func (t *Tensor) With(name string, shape value.Value, outer int) *Tensor {
	t.Escape()
	v := *t
	v.Name, v.Shape, v.Input, v.Steps, v.Layout = name+"("+t.Name+")", shape, false, nil, nil
	v.DividedBy(name, shape)
	if t.Outer >= 0 && outer < 0 {
		v.Lost = v.Lost || !IsOne(t.Stages)
	}
	v.Outer = outer
	if t.Outer < 0 {
		v.Outer = -1
	}
	return v.clip()
}

// IsOne reports whether an extent is known to be 1.
func IsOne(v value.Value) bool { n, ok := v.(value.Int); return ok && n == 1 }

// Start is the element where the view starts.
func (t *Tensor) Start() value.Value {
	switch {
	case t.Lost || t.Adrift || t.Part || t.Split:
		return value.Data{}
	case t.Steps != nil:
		return t.Origin
	case t.Picked:
		return value.Data{}
	case t.Stage == nil:
		return t.First
	}
	return value.Binary("+", t.First, value.Binary("*", t.Stage, t.Span))
}
