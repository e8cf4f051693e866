package cute

import (
	"fmt"
	"slices"
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
	Flat   bool         // which modes it has is not known, but that its elements stand in their order
	Folded bool         // coordinates may be of one element
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

	Layout    value.Value   // tensor memory: the strides of shape where they are known, else nil; None of modes that divide Tile
	Ahead     value.Value   // with layout: by how many elements the view begins behind First, nil for none
	Tile      *Layout       // with layout: what a partition divides among threads, nil where that is none
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
		t.Folded = stride != nil && folds(&Layout{Shape: shape, Stride: stride})
	}
	ms := Modes(shape)
	last := len(ms) - 1
	if last < 1 {
		switch shape.(type) {
		case value.Int, *value.Sequence:
		default:
			t.Lost, t.Adrift, t.Flat = true, true, t.Steps == value.Value(value.Int(1)) // it may have stages
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
	v.slicedColumns(coord)
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
	if v.Flat = false; t.Flat && len(coord.Elems) == 1 && numbers(coord.Elems[0]) {
		v.Lost, v.Adrift = false, false
	}
	v.Name = t.Name + "[" + strings.Trim(value.Canonical(coord), "()") + "]"
	return v.clip()
}

// slicedColumns is what a coordinate leaves of the layout of a view of tensor memory. Of modes that divide a tile among threads it
// leaves some of the tile.
func (t *Tensor) slicedColumns(coord *value.Sequence) {
	if t.Layout == nil {
		return
	}
	if len(coord.Elems) != len(Modes(t.Shape)) {
		t.Layout = nil
		return
	}
	for i, c := range coord.Elems {
		if step := Part(t.Layout, i); step != (value.None{}) {
			t.Ahead = value.Binary("+", value.FirstOf(t.Ahead, value.Int(0)), Offset(t.extent(i), step, c))
		}
	}
	t.Layout = LeftOf(t.Layout, coord)
}

// Strided reports whether the tensor is a view of tensor memory, or on the host side will be one, of which the layout is known, and
// that no partition divides.
func (t *Tensor) Strided() bool { return t.Layout != nil && t.Tile == nil }

// InTile is the layout of a view of tensor memory with the tile that its first modes divide.
func (t *Tensor) InTile() *Layout {
	shape, stride := &value.Sequence{}, &value.Sequence{}
	for i, extent := range Modes(t.Shape) {
		if step := Part(t.Layout, i); step != (value.None{}) {
			shape.Elems, stride.Elems = append(shape.Elems, extent), append(stride.Elems, step)
		}
	}
	if t.Tile != nil {
		shape.Elems, stride.Elems = append(shape.Elems, t.Tile.Shape), append(stride.Elems, t.Tile.Stride)
	}
	return &Layout{Shape: shape, Stride: stride}
}

// numbers reports whether a coordinate is the number of an element.
func numbers(coord value.Value) bool {
	return value.IsNumber(coord) || value.IsData(coord)
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
	v.Name, v.Shape, v.Input, v.Flat, v.Steps, v.Layout = name+"("+t.Name+")", shape, false, false, nil, nil
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

// ColumnsAs is a tensor seen with other modes, of which the last counts the stages as before.
func ColumnsAs(t *Tensor, shape value.Value) value.Value {
	outer := -1
	if t.Outer >= 0 && t.Outer == len(Modes(t.Shape))-1 {
		outer = len(Modes(shape)) - 1
	}
	return t.With("columns", shape, outer)
}

// maxRegisters is the largest register tensor whose content is followed.
const maxRegisters = 32

// Registers is a fresh content for a register tensor of a shape; nil where it is not followed.
func Registers(shape value.Value) *value.Sequence {
	n, ok := Product(shape).(value.Int)
	if !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := &value.Sequence{Elems: make([]value.Value, n)}
	for i := range out.Elems {
		out.Elems[i] = value.Data{}
	}
	return out
}

// Escape stops following what a register tensor holds.
func (t *Tensor) Escape() {
	if t.Values != nil {
		value.ForgetContent(t.Values, 0)
		t.Values = nil
	}
}

// LoseRegisters stops following the register tensors among values that something may write.
func LoseRegisters(vs []value.Value) {
	for _, v := range vs {
		switch v := v.(type) {
		case *Tensor:
			v.Escape()
		case *value.Sequence:
			if len(v.Elems) < 64 {
				LoseRegisters(v.Elems)
			}
		}
	}
}

// Spot is the address of one element of a tensor in shared memory whose layout is known.
func (t *Tensor) Spot(coord value.Value) (value.Pointer, bool) {
	if t.Block == nil || t.Steps == nil || t.Lost || t.Split {
		return value.Pointer{}, false
	}
	if c, ok := coord.(*value.Sequence); ok && len(c.Elems) == 1 {
		coord = c.Elems[0]
	}
	unit := value.CanonicalType(t.Dtype)
	if t.Block.Unit == "" {
		t.Block.Unit, t.Block.Typed = unit, t.Dtype
	}
	return value.Pointer{Block: t.Block, Offset: value.Binary("+", t.Origin, Offset(t.Shape, t.Steps, coord)), Cta: t.Cta, Elem: t.Dtype}, t.Block.Unit == unit
}

// Spots are the addresses of the elements of a small view in shared memory, in order.
func (t *Tensor) Spots() []value.Pointer {
	n, ok := Product(t.Shape).(value.Int)
	if t.Block == nil || !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := make([]value.Pointer, n)
	for i := range out {
		if out[i], ok = t.Spot(value.Int(i)); !ok {
			return nil
		}
	}
	return out
}

// TypedBy is a tensor whose element type only the launch knows, with the one that the atom was made for: it copies no
// other.
func TypedBy(copyAtom value.Value, t *Tensor) *Tensor {
	if _, assumed := t.Dtype.(value.Symbol); !assumed || AtomKind(copyAtom) == "" {
		return t
	}
	if p, ok := copyAtom.(*value.Object).Fields["dtype"].(value.Path); ok && value.BitsOf(p) > 0 {
		typed := *t
		typed.Dtype = p
		return &typed
	}
	return t
}

// From is a view that a copy fills from another one, for how many bytes that is: a bulk copy of a tensor counts the elements of its source
// (cp.async.bulk.tensor). Where only an assumption says how wide these are, and the view has others, it is not known.
func (t *Tensor) From(src value.Value) *Tensor {
	of, ok := src.(*Tensor)
	if !ok || of.Dtype == nil || !value.WidthAssumed(of.Dtype) || value.BitsOf(of.Dtype) == value.BitsOf(value.FirstOf(t.Dtype, value.Data{})) {
		return t
	}
	untyped := *t
	untyped.Dtype = value.Data{}
	return &untyped
}

// rescaled is a shape counted in elements of another width: its first extent changes, as far as that comes out even.
func rescaled(shape value.Value, from, to int64) (value.Value, bool) {
	switch v := shape.(type) {
	case value.Int:
		if int64(v)*from%to == 0 {
			return value.Int(int64(v) * from / to), true
		}
	case *value.Sequence:
		for i, e := range v.Elems {
			if x, ok := rescaled(e, from, to); ok {
				out := &value.Sequence{Elems: append([]value.Value{}, v.Elems...)}
				out.Elems[i] = x
				return out, true
			}
		}
	}
	return shape, false
}

// Recast is the same memory read as another type. The stages stay; their extents are known where both widths are.
func (t *Tensor) Recast(dtype value.Value) *Tensor {
	out := t.With("recast", t.Shape, t.Outer)
	from, to := value.BitsOf(value.FirstOf(t.Dtype, value.Data{})), value.BitsOf(value.FirstOf(dtype, value.Data{}))
	out.Dtype = dtype
	if t.Block == nil {
		if from > 0 && to > 0 {
			out.Shape, _ = rescaled(t.Shape, from, to)
		}
		return out
	}
	if from == 0 || to == 0 {
		out.Dtype = t.Dtype // counted in the old type's elements
		return out
	}
	scale := func(v value.Value) value.Value {
		return value.Binary("//", value.Binary("*", v, value.Int(from)), value.Int(to))
	}
	out.First, out.Span = scale(t.First), scale(t.Span)
	return out
}

// Named is a tensor of which nothing is known but the parameter that it is given as: its extents are unknowns of the
// parameter, which every thread of the launch sees. Where some extents are known, how they hang together with the others
// is, too, and that would be lost.
func (t *Tensor) Named(parameter string) *Tensor {
	if _, unknown := t.Shape.(value.Data); !unknown {
		return t
	}
	out := *t
	out.Name, out.Shape = parameter, value.Atom(parameter+".shape")
	return &out
}

// RowPitch is what is taken for the pitch of a mode of a tensor in global memory.
const RowPitch = 1 << 20

// maxPitched is the largest number of modes of which places can be told.
const maxPitched = 3

// ViewOf is all of the tensor that a symbol names: with so many modes, or with those that its shape turns out to have where rank is 0.
func ViewOf(sym value.Symbol, rank int) *Tensor {
	t := &Tensor{Name: value.Canonical(sym), Shape: ShapeOf(sym), Outer: -1, Root: value.Canonical(sym)}
	if rank == 0 {
		return t
	}
	t.Shape = &value.Sequence{Elems: PartsOf(t.Shape, rank)}
	if rank <= maxPitched {
		steps := make([]value.Value, rank)
		step := int64(1)
		for i := range slices.Backward(steps) {
			steps[i] = value.Int(step)
			step *= RowPitch
		}
		t.Base, t.Rank, t.Origin, t.Steps = sym.Expr, rank, value.Int(0), &value.Sequence{Elems: steps}
	}
	return t
}

// cutAt notes the coordinates of a slice of a tensor that is not in shared memory.
func (t *Tensor) cutAt(coord value.Value) {
	if t.Block != nil || t.Root == "" {
		return
	}
	for i, c := range Flatten(coord) {
		if _, all := c.(value.None); !all {
			t.Cuts = &value.Cut{How: fmt.Sprintf("%s@%d", t.Ways, i), At: c, Before: t.Cuts}
		}
	}
	t.Ways += "[]"
}

// DividedBy notes how a tensor is divided before coordinates mean something.
func (t *Tensor) DividedBy(how string, by value.Value) {
	if t.Block == nil && t.Root != "" {
		t.Ways += how + value.Canonical(by)
	}
}

// cutInTiles is the tensor with the tiles at a coordinate alone: None keeps all of them.
func (t *Tensor) cutInTiles(tiler, coord []value.Value) *Tensor {
	out := *t
	out.DividedBy("local_tile", &value.Sequence{Elems: tiler})
	out.cutAt(&value.Sequence{Elems: coord})
	return &out
}

// Predicated is a view that a copy touches as far as a predicate says.
func Predicated(pred, v value.Value) value.Value {
	t, ok := v.(*Tensor)
	if _, never := pred.(value.None); !ok || t.Block == nil || pred == nil || never {
		return v
	}
	some := *t
	some.Maybe = true
	return &some
}

// Same reports whether two views of shared memory are of the same elements, seen in the same way.
func (t *Tensor) Same(v value.Value) bool {
	u, ok := v.(*Tensor)
	if !ok || t == u {
		return ok
	}
	if t.Block == nil || t.Block != u.Block || t.Values != nil || u.Values != nil || t.Mma != u.Mma {
		return false
	}
	a, b := *t, *u
	for _, p := range []*Tensor{&a, &b} {
		p.Shape, p.Dtype, p.Cta, p.First, p.Span, p.Stages, p.Stage, p.Steps, p.Origin = nil, nil, nil, nil, nil, nil, nil, nil, nil
		p.Layout, p.Ahead, p.Tile = nil, nil, nil
	}
	if a != b {
		return false
	}
	return slices.EqualFunc(t.parts(), u.parts(), func(x, y value.Value) bool {
		return value.Same(x, y) || value.Canonical(x) == value.Canonical(y) && value.UniformSymbol(x)
	})
}

func (t *Tensor) parts() []value.Value {
	parts := []value.Value{t.Shape, t.Dtype, t.Cta, t.First, t.Span, t.Stages, t.Stage, t.Steps, t.Origin, t.Layout, t.Ahead}
	if t.Tile != nil {
		return append(parts, t.Tile.Shape, t.Tile.Stride)
	}
	return append(parts, nil, nil)
}

// RegistersAs is another view of registers, of which nobody follows what they hold.
func (t *Tensor) RegistersAs(layout value.Value) *Tensor {
	out := &Tensor{Name: t.Name + ".make_tensor" + CanonicalArgs([]value.Value{layout}), Shape: ShapeOf(layout), Dtype: t.Dtype, Outer: -1, Local: true}
	out.Registers = t.Registers
	return out
}

// OfType is the view with elements of another type.
func (t *Tensor) OfType(dtype value.Value) *Tensor {
	out := *t
	out.Dtype = dtype
	return &out
}

// RegisterFile is a tensor of registers, whatever the view of it.
type RegisterFile struct{ _ byte }

// RegistersIn lists the tensors of registers among what a copy is given.
func RegistersIn(v value.Value, out []*RegisterFile) []*RegisterFile {
	switch v := v.(type) {
	case *Tensor:
		if v.Registers != nil {
			out = append(out, v.Registers)
		}
	case *value.Sequence:
		for _, e := range v.Elems {
			out = RegistersIn(e, out)
		}
	}
	return out
}

// InRegisters reports whether a tensor was made as one of registers.
func (t *Tensor) InRegisters() bool {
	return strings.HasPrefix(t.Name, "make_rmem") || strings.HasPrefix(t.Name, "make_fragment")
}
