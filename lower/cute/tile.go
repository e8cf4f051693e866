package cute

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// shaped takes a shape, layout or tensor apart and puts a result of the same sort together again.
type shaped struct {
	of            value.Value
	Shape, Stride []value.Value // top-level modes; stride is nil where it is not known
	Outer         int           // tensors: the stage mode
	T             *Tensor
	name          string
}

// NewShaped takes a value apart, an unknown one into so many modes with a name.
func NewShaped(v value.Value, name string, rank int) shaped {
	s := shaped{of: v, Outer: -1, name: name}
	switch v := v.(type) {
	case *Layout:
		s.Shape = Modes(v.Shape)
		if _, unknown := v.Stride.(value.Data); !unknown {
			s.Stride = Modes(v.Strides())
		}
	case *Tensor:
		s.T, s.Outer = v, v.Outer
		s.Shape = Modes(v.Shape)
		if v.Steps != nil {
			s.Stride = Modes(v.Steps)
		} else if v.Block.InColumns() && v.Layout != nil {
			s.Stride = Modes(v.Layout)
		}
	case value.Symbol: // a tensor or layout that only the launch knows: its rank is what the call needs
		s.T = ViewOf(v, max(rank, 1))
		s.Shape = Modes(s.T.Shape)
		if s.T.Steps != nil {
			s.Stride = Modes(s.T.Steps)
		}
	case *value.Sequence, value.Int:
		s.Shape = Modes(v)
	}
	if len(s.Stride) != len(s.Shape) {
		s.Stride = nil
	}
	shape := ShapeOf(v)
	if s.T != nil {
		shape = s.T.Shape
	}
	if sym, ok := shape.(value.Symbol); ok {
		s.Shape, s.Stride = PartsOf(sym, max(rank, 1)), nil
	}
	return s
}

// Result is a value of the same sort with other modes. from names the mode that each new one is, -1 for a new mode.
func (s shaped) Result(shape, stride []value.Value, outer int) value.Value {
	switch s.of.(type) {
	case *Layout:
		l := &Layout{Shape: &value.Sequence{Elems: shape}, Stride: value.Data{}}
		if s.Stride != nil && len(stride) == len(shape) {
			l.Stride = &value.Sequence{Elems: stride}
		}
		return l
	case *value.Sequence, value.Int:
		return &value.Sequence{Elems: shape}
	}
	if s.T == nil {
		return value.Data{}
	}
	out := s.T.With(s.name, &value.Sequence{Elems: shape}, outer)
	switch { // where it starts stays the same
	case s.Stride == nil || len(stride) != len(shape):
	case s.T.Block.InColumns():
		out.Layout = &value.Sequence{Elems: stride}
	default:
		out.Steps = &value.Sequence{Elems: stride}
	}
	return out
}

// GroupModes is cute.group_modes(x, begin, end).
func GroupModes(v value.Value, begin, end int) value.Value {
	s := NewShaped(v, "group_modes", end)
	n := len(s.Shape)
	if end < 0 || end > n {
		end = n
	}
	if begin < 0 || begin >= end {
		return v
	}
	group := func(list []value.Value) []value.Value {
		if list == nil {
			return nil
		}
		out := append([]value.Value{}, list[:begin]...)
		out = append(out, &value.Sequence{Elems: append([]value.Value{}, list[begin:end]...)})
		return append(out, list[end:]...)
	}
	outer := s.Outer
	switch {
	case outer >= end:
		outer -= end - begin - 1
	case outer >= begin:
		if end-begin == 1 {
			outer = begin
		} else {
			outer = -1
		}
	}
	return s.Result(group(s.Shape), group(s.Stride), outer)
}

// divided are the parts of a division of the first modes by the modes of a tiler.
type divided struct {
	shaped
	n                   int // modes that are divided
	tile, rest          []value.Value
	whole               []bool // modes that the tiler leaves alone, with None
	tileSteps, restStep []value.Value
	layout              bool // the tiler is a layout or a number, not one for each mode
}

// Divide divides a layout or tensor by a tiler.
func Divide(v, tiler value.Value, name string) divided {
	ts := Modes(ShapeOf(tiler))
	_, asLayout := tiler.(value.Int)
	switch tiler := tiler.(type) {
	case *Layout:
		ts, asLayout = []value.Value{tiler}, true
	case value.Symbol: // tiles that a library function chose have two modes
		if len(Modes(ShapeOf(v))) > 1 {
			ts = PartsOf(tiler, 2)
		}
	}
	d := divided{shaped: NewShaped(v, name, len(ts)), n: len(ts), layout: asLayout}
	for i, m := range d.Shape {
		var step value.Value
		if d.Stride != nil {
			step = d.Stride[i]
		}
		if i >= len(ts) {
			d.rest = append(d.rest, m)
			d.restStep = append(d.restStep, step)
			continue
		}
		if leaf := Flatten(m); len(leaf) == 1 && (step == nil || len(Flatten(step)) == 1) { // (512) is 512
			if m = leaf[0]; step != nil {
				step = Flatten(step)[0]
			}
		}
		t := ts[i]
		_, whole := t.(value.None)
		if whole {
			t = m
		}
		d.whole = append(d.whole, whole)
		scattered := false
		switch tile := t.(type) {
		case *Layout:
			t, scattered = tile.Shape, !unitStride(tile)
		case *value.Sequence:
			scattered = true // its modes have strides of their own
		}
		d.tile, d.rest = append(d.tile, t), append(d.rest, CeilDiv(Product(m), Product(t)))
		if _, nested := m.(*value.Sequence); nested || step == nil || scattered || d.T != nil && d.T.Block != nil && !fills(t, m) {
			d.Stride = nil
			continue
		}
		d.tileSteps, d.restStep = append(d.tileSteps, step), append(d.restStep, value.Binary("*", step, Product(t)))
	}
	return d
}

// unitStride reports whether a layout of one mode numbers its elements one after another.
func unitStride(l *Layout) bool {
	n, flat := l.Strides().(value.Int)
	_, known := l.Stride.(value.Data)
	return flat && !known && n == 1
}

// fills reports whether tiles are known to fill what they divide: the last one does not stick out.
func fills(tile, of value.Value) bool {
	n, ok1 := Product(tile).(value.Int)
	m, ok2 := Product(of).(value.Int)
	return ok1 && ok2 && n > 0 && m%n == 0
}

// partial reports whether the tiles are smaller than what they divide.
func (d divided) partial() bool {
	for i := range d.tile {
		if !IsOne(d.rest[i]) {
			return true
		}
	}
	return false
}

// view marks a view of shared memory that is a part of a stage: whoever synchronizes the parts of a stage apart would
// be accused falsely if each stood for the whole.
func (d divided) view(v value.Value) value.Value {
	if t, ok := v.(*Tensor); ok && t.Block != nil && d.partial() {
		t.Part = true
	}
	return v
}

// Zipped is zipped_divide: the modes of a tile, then those of the tiles.
func (d divided) Zipped() value.Value {
	return d.view(d.Result([]value.Value{&value.Sequence{Elems: d.tile}, &value.Sequence{Elems: d.rest}}, d.steps([]value.Value{&value.Sequence{Elems: d.tileSteps}, &value.Sequence{Elems: d.restStep}}), -1))
}

// Tiled is tiled_divide: the modes of a tile as one, then the tiles' one by one.
func (d divided) Tiled() value.Value {
	outer := -1
	if d.Outer >= d.n {
		outer = 1 + d.Outer
	}
	return d.view(d.Result(append([]value.Value{&value.Sequence{Elems: d.tile}}, d.rest...), d.steps(append([]value.Value{&value.Sequence{Elems: d.tileSteps}}, d.restStep...)), outer))
}

// Flat is flat_divide: all modes one by one.
func (d divided) Flat() value.Value {
	outer := -1
	if d.Outer >= d.n {
		outer = len(d.tile) + d.Outer
	}
	return d.view(d.Result(append(append([]value.Value{}, d.tile...), d.rest...), d.steps(append(append([]value.Value{}, d.tileSteps...), d.restStep...)), outer))
}

// Logical is the division mode by mode. A mode that the tiler leaves alone stays as it is.
func (d divided) Logical() value.Value {
	var shape, stride []value.Value
	for i := range d.rest {
		s, step := d.rest[i], Part(&value.Sequence{Elems: d.restStep}, i)
		switch {
		case i < len(d.tile) && d.whole[i]:
			s, step = d.tile[i], Part(&value.Sequence{Elems: d.tileSteps}, i)
		case i < len(d.tile):
			s, step = Tuple(d.tile[i], s), Tuple(Part(&value.Sequence{Elems: d.tileSteps}, i), step)
		}
		shape = append(shape, s)
		if d.Stride != nil {
			stride = append(stride, step)
		}
	}
	outer := -1
	if d.Outer >= d.n {
		outer = d.Outer
	}
	if pair, ok := value.First(shape).(*value.Sequence); ok && d.layout && len(shape) == 1 { // divided as a whole, not mode by mode
		if shape = pair.Elems; d.Stride != nil {
			stride = Modes(stride[0])
		}
	}
	return d.view(d.Result(shape, stride, outer))
}

func (d divided) steps(list []value.Value) []value.Value {
	if d.Stride == nil {
		return nil
	}
	return list
}

// LocalTile is cute.local_tile(x, tiler, coord, proj): the tiles at a coordinate. None keeps all tiles along a mode,
// and where the projection has None, neither the tiler's mode nor the coordinate's is one of x.
func LocalTile(v, tiler, coord, proj value.Value) value.Value {
	ts, cs := Modes(ShapeOf(tiler)), Modes(coord)
	if p, ok := proj.(*value.Sequence); ok {
		ts, cs = Dice(p.Elems, ts), Dice(p.Elems, cs)
	}
	if sym, ok := v.(value.Symbol); ok && len(cs) > len(ts) { // the coordinate tells the rank
		v = ViewOf(sym, len(cs))
	} else if t, ok := v.(*Tensor); ok && len(cs) > len(ts) {
		if sym, ok := t.Shape.(value.Symbol); ok {
			of := *t
			of.Shape = &value.Sequence{Elems: PartsOf(sym, len(cs))}
			v = &of
		}
	}
	d := Divide(v, &value.Sequence{Elems: ts}, "local_tile")
	shape := append([]value.Value{}, d.tile...)
	outer := -1
	var stage value.Value
	for i, r := range d.rest {
		var c value.Value = value.None{}
		if i < len(cs) {
			c = cs[i]
		}
		if HasNone(c) {
			if i == d.Outer && i >= d.n {
				outer = len(shape)
			}
			shape = append(shape, kept(r, c)...)
		} else if i == d.Outer && i >= d.n {
			stage = c
		}
	}
	if d.T == nil {
		return d.Result(shape, nil, -1)
	}
	v2 := d.view(d.T.cutInTiles(ts, cs).With("local_tile", &value.Sequence{Elems: shape}, outer)).(*Tensor)
	if d.Stride != nil && !d.T.Block.InColumns() {
		at := &value.Sequence{Elems: slices.Repeat([]value.Value{value.None{}}, len(d.rest))}
		copy(at.Elems, cs)
		v2.Origin = value.Binary("+", d.T.Origin, Offset(&value.Sequence{Elems: d.rest}, &value.Sequence{Elems: d.restStep}, at))
		v2.Steps = &value.Sequence{Elems: append(slices.Clone(d.tileSteps), kept(&value.Sequence{Elems: d.restStep}, at)...)}
	}
	if stage != nil {
		v2.Stage, v2.Lost = stage, d.T.Lost
	}
	// Tiles of one tensor at different coordinates have the same extents.
	v2.Name = "local_tile(" + d.T.Name + ", " + value.Canonical(&value.Sequence{Elems: ts}) + ")"
	return v2.clip()
}

// PartsOf are n modes of a shape.
func PartsOf(shape value.Value, n int) []value.Value {
	out := make([]value.Value, n)
	for i := range out {
		out[i] = Part(shape, i)
	}
	return out
}

// Dice keeps what a projection does not mark with None.
func Dice(proj, list []value.Value) []value.Value {
	var out []value.Value
	for i, p := range proj {
		if _, drop := p.(value.None); !drop && i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}

// TmaPartition gives the views of tma_partition(atom, cta_coord, cta_layout, smem, gmem): mode 0 is one copy's box, the
// others stay.
func TmaPartition(ctas, smem, gmem value.Value) value.Value {
	view := func(v value.Value) value.Value {
		s := NewShaped(v, "tma_partition", 1)
		if s.T == nil {
			return value.Data{}
		}
		out := s.T.With("tma_partition", &value.Sequence{Elems: s.Shape}, s.Outer)
		if n, ok := Product(ShapeOf(ctas)).(value.Int); !ok {
			out.Boxes = -1
		} else if n > 1 {
			out.Boxes = int64(n)
		}
		return out
	}
	return Tuple(view(smem), view(gmem))
}

// SizeOf names the number of elements of a mode of a value: cute.size(x, mode=[…]).
func SizeOf(v, mode value.Value) value.Value {
	if n := copySize(v); n != nil {
		return n
	}
	if mma, ok := v.(*TiledMMA); ok {
		return mma.threads()
	}
	shape := ShapeOf(v)
	if mode != nil {
		if _, all := mode.(value.None); !all {
			if l, ok := v.(*Layout); ok {
				shape = l.Shape
			}
			return Product(Pick(shape, mode))
		}
	}
	return Product(shape)
}

// RankOf is cute.rank(x), unknown for what only the launch knows.
func RankOf(v value.Value) value.Value {
	switch s := ShapeOf(v).(type) {
	case *value.Sequence:
		return value.Int(len(s.Elems))
	case value.Int:
		return value.Int(1)
	case value.Symbol:
		return value.Binary("+", value.Atom("modes of "+s.Expr.String()+" beside the first"), value.Int(1)) // there is one at least
	}
	return value.Data{}
}

// OrderedStride is the compact stride of a shape whose modes follow each other in an order.
func OrderedStride(shape, order value.Value) value.Value {
	ms, os := Modes(shape), Modes(order)
	if len(ms) != len(os) {
		return value.Data{}
	}
	stride := make([]value.Value, len(ms))
	var step value.Value = value.Int(1)
	for k := 0; k < len(ms); k++ {
		best, at := value.Int(1<<40), -1
		for i, o := range os {
			if n, ok := o.(value.Int); ok && stride[i] == nil && n < best {
				best, at = n, i
			}
		}
		if at < 0 {
			return value.Data{}
		}
		stride[at] = compact(ms[at], &step)
	}
	return &value.Sequence{Elems: stride}
}
