package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// shaped takes a shape, layout or tensor apart and puts a result of the same sort together again.
type shaped struct {
	of            value.Value
	shape, stride []value.Value // top-level modes; stride is nil where it is not known
	outer         int           // tensors: the stage mode
	t             *tensor
	name          string
}

// newShaped takes a value apart, an unknown one into so many modes with a name.
func newShaped(v value.Value, name string, rank int) shaped {
	s := shaped{of: v, outer: -1, name: name}
	switch v := v.(type) {
	case *layout:
		s.shape = modes(v.shape)
		if _, unknown := v.stride.(value.Data); !unknown {
			s.stride = modes(v.strides())
		}
	case *tensor:
		s.t, s.outer = v, v.outer
		s.shape = modes(v.shape)
		if v.steps != nil {
			s.stride = modes(v.steps)
		}
	case value.Symbol: // a tensor or layout that only the launch knows: its rank is what the call needs
		s.t = viewOf(v, max(rank, 1))
		s.shape = modes(s.t.shape)
		if s.t.steps != nil {
			s.stride = modes(s.t.steps)
		}
	case *value.Sequence, value.Int:
		s.shape = modes(v)
	}
	if len(s.stride) != len(s.shape) {
		s.stride = nil
	}
	shape := shapeOf(v)
	if s.t != nil {
		shape = s.t.shape
	}
	if sym, ok := shape.(value.Symbol); ok {
		s.shape, s.stride = partsOf(sym, max(rank, 1)), nil
	}
	return s
}

// result is a value of the same sort with other modes. from names the mode that each new one is, -1 for a new mode.
func (s shaped) result(shape, stride []value.Value, outer int) value.Value {
	switch s.of.(type) {
	case *layout:
		l := &layout{shape: &value.Sequence{Elems: shape}, stride: value.Data{}}
		if s.stride != nil && len(stride) == len(shape) {
			l.stride = &value.Sequence{Elems: stride}
		}
		return l
	case *value.Sequence, value.Int:
		return &value.Sequence{Elems: shape}
	}
	if s.t == nil {
		return value.Data{}
	}
	out := s.t.with(s.name, &value.Sequence{Elems: shape}, outer)
	if s.stride != nil && len(stride) == len(shape) {
		out.steps = &value.Sequence{Elems: stride} // where it starts stays the same
	}
	return out
}

// groupModes is cute.group_modes(x, begin, end).
func groupModes(v value.Value, begin, end int) value.Value {
	s := newShaped(v, "group_modes", end)
	n := len(s.shape)
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
	outer := s.outer
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
	return s.result(group(s.shape), group(s.stride), outer)
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

// divide divides a layout or tensor by a tiler.
func divide(v, tiler value.Value, name string) divided {
	ts := modes(shapeOf(tiler))
	_, asLayout := tiler.(value.Int)
	switch tiler := tiler.(type) {
	case *layout:
		ts, asLayout = []value.Value{tiler}, true
	case value.Symbol: // tiles that a library function chose have two modes
		if len(modes(shapeOf(v))) > 1 {
			ts = partsOf(tiler, 2)
		}
	}
	d := divided{shaped: newShaped(v, name, len(ts)), n: len(ts), layout: asLayout}
	for i, m := range d.shape {
		var step value.Value
		if d.stride != nil {
			step = d.stride[i]
		}
		if i >= len(ts) {
			d.rest = append(d.rest, m)
			d.restStep = append(d.restStep, step)
			continue
		}
		t := ts[i]
		_, whole := t.(value.None)
		if whole {
			t = m
		}
		d.whole = append(d.whole, whole)
		scattered := false
		switch tile := t.(type) {
		case *layout:
			t, scattered = tile.shape, !unitStride(tile)
		case *value.Sequence:
			scattered = true // its modes have strides of their own
		}
		d.tile, d.rest = append(d.tile, t), append(d.rest, ceilDiv(product(m), product(t)))
		if _, nested := m.(*value.Sequence); nested || step == nil || scattered || d.t != nil && d.t.block != nil && !fills(t, m) {
			d.stride = nil
			continue
		}
		d.tileSteps, d.restStep = append(d.tileSteps, step), append(d.restStep, value.Binary("*", step, product(t)))
	}
	return d
}

// unitStride reports whether a layout of one mode numbers its elements one after another.
func unitStride(l *layout) bool {
	n, flat := l.strides().(value.Int)
	_, known := l.stride.(value.Data)
	return flat && !known && n == 1
}

// fills reports whether tiles are known to fill what they divide: the last one does not stick out.
func fills(tile, of value.Value) bool {
	n, ok1 := product(tile).(value.Int)
	m, ok2 := product(of).(value.Int)
	return ok1 && ok2 && n > 0 && m%n == 0
}

// partial reports whether the tiles are smaller than what they divide.
func (d divided) partial() bool {
	for i := range d.tile {
		if !one(d.rest[i]) {
			return true
		}
	}
	return false
}

// view marks a view of shared memory that is a part of a stage: whoever synchronizes the parts of a stage apart would
// be accused falsely if each stood for the whole.
func (d divided) view(v value.Value) value.Value {
	if t, ok := v.(*tensor); ok && t.block != nil && d.partial() {
		t.part = true
	}
	return v
}

// zipped is zipped_divide: the modes of a tile, then those of the tiles.
func (d divided) zipped() value.Value {
	return d.view(d.result([]value.Value{&value.Sequence{Elems: d.tile}, &value.Sequence{Elems: d.rest}}, d.steps([]value.Value{&value.Sequence{Elems: d.tileSteps}, &value.Sequence{Elems: d.restStep}}), -1))
}

// tiled is tiled_divide: the modes of a tile as one, then the tiles' one by one.
func (d divided) tiled() value.Value {
	outer := -1
	if d.outer >= d.n {
		outer = 1 + d.outer
	}
	return d.view(d.result(append([]value.Value{&value.Sequence{Elems: d.tile}}, d.rest...), d.steps(append([]value.Value{&value.Sequence{Elems: d.tileSteps}}, d.restStep...)), outer))
}

// flat is flat_divide: all modes one by one.
func (d divided) flat() value.Value {
	outer := -1
	if d.outer >= d.n {
		outer = len(d.tile) + d.outer
	}
	return d.view(d.result(append(append([]value.Value{}, d.tile...), d.rest...), d.steps(append(append([]value.Value{}, d.tileSteps...), d.restStep...)), outer))
}

// logical is the division mode by mode. A mode that the tiler leaves alone stays as it is.
func (d divided) logical() value.Value {
	var shape, stride []value.Value
	for i := range d.rest {
		s, step := d.rest[i], part(&value.Sequence{Elems: d.restStep}, i)
		switch {
		case i < len(d.tile) && d.whole[i]:
			s, step = d.tile[i], part(&value.Sequence{Elems: d.tileSteps}, i)
		case i < len(d.tile):
			s, step = tuple(d.tile[i], s), tuple(part(&value.Sequence{Elems: d.tileSteps}, i), step)
		}
		shape = append(shape, s)
		if d.stride != nil {
			stride = append(stride, step)
		}
	}
	outer := -1
	if d.outer >= d.n {
		outer = d.outer
	}
	if pair, ok := value.First(shape).(*value.Sequence); ok && d.layout && len(shape) == 1 { // divided as a whole, not mode by mode
		if shape = pair.Elems; d.stride != nil {
			stride = modes(stride[0])
		}
	}
	return d.view(d.result(shape, stride, outer))
}

func (d divided) steps(list []value.Value) []value.Value {
	if d.stride == nil {
		return nil
	}
	return list
}

// localTile is cute.local_tile(x, tiler, coord, proj): the tiles at a coordinate. None keeps all tiles along a mode,
// and where the projection has None, neither the tiler's mode nor the coordinate's is one of x.
func localTile(v, tiler, coord, proj value.Value) value.Value {
	ts, cs := modes(shapeOf(tiler)), modes(coord)
	if p, ok := proj.(*value.Sequence); ok {
		ts, cs = dice(p.Elems, ts), dice(p.Elems, cs)
	}
	if sym, ok := v.(value.Symbol); ok && len(cs) > len(ts) { // the coordinate tells the rank
		v = viewOf(sym, len(cs))
	} else if t, ok := v.(*tensor); ok && len(cs) > len(ts) {
		if sym, ok := t.shape.(value.Symbol); ok {
			of := *t
			of.shape = &value.Sequence{Elems: partsOf(sym, len(cs))}
			v = &of
		}
	}
	d := divide(v, &value.Sequence{Elems: ts}, "local_tile")
	shape := append([]value.Value{}, d.tile...)
	outer := -1
	var stage value.Value
	for i, r := range d.rest {
		var c value.Value = value.None{}
		if i < len(cs) {
			c = cs[i]
		}
		if hasNone(c) {
			if i == d.outer && i >= d.n {
				outer = len(shape)
			}
			shape = append(shape, kept(r, c)...)
		} else if i == d.outer && i >= d.n {
			stage = c
		}
	}
	if d.t == nil {
		return d.result(shape, nil, -1)
	}
	v2 := d.view(d.t.cutInTiles(ts, cs).with("local_tile", &value.Sequence{Elems: shape}, outer)).(*tensor)
	if d.stride != nil {
		at := &value.Sequence{Elems: slices.Repeat([]value.Value{value.None{}}, len(d.rest))}
		copy(at.Elems, cs)
		v2.origin = value.Binary("+", d.t.origin, offset(&value.Sequence{Elems: d.rest}, &value.Sequence{Elems: d.restStep}, at))
		v2.steps = &value.Sequence{Elems: append(slices.Clone(d.tileSteps), kept(&value.Sequence{Elems: d.restStep}, at)...)}
	}
	if stage != nil {
		v2.stage, v2.lost = stage, d.t.lost
	}
	// Tiles of one tensor at different coordinates have the same extents.
	v2.name = "local_tile(" + d.t.name + ", " + value.Canonical(&value.Sequence{Elems: ts}) + ")"
	return v2.clip()
}

// partsOf are n modes of a shape.
func partsOf(shape value.Value, n int) []value.Value {
	out := make([]value.Value, n)
	for i := range out {
		out[i] = part(shape, i)
	}
	return out
}

// dice keeps what a projection does not mark with None.
func dice(proj, list []value.Value) []value.Value {
	var out []value.Value
	for i, p := range proj {
		if _, drop := p.(value.None); !drop && i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}

// partition is a thread's part of a tensor (partition_S, partition_D, partition_A, partition_B, partition_C): the values of
// one thread first, then how often the pattern repeats along both modes of the tile, then the modes beyond the tile.
func (m *machine) partition(v value.Value, by value.Value, how string) value.Value {
	s := newShaped(v, how, 2)
	if s.t == nil {
		return value.Data{}
	}
	t := s.t
	n := min(2, len(s.shape))
	shape := []value.Value(nil)
	if tile, nested := value.First(s.shape).(*value.Sequence); nested && isTensorCopy(by) && product(tile.Elems[0]) != value.Int(lanesAll) {
		n = 1 // a mode that has all lanes and columns of a tile, and the tiles beyond
	} else if atomKind(by) != "" {
		c := by.(*value.Object)
		if tile, ok := c.Fields["tiler_mn"].(*value.Sequence); ok {
			n = min(max(1, len(tile.Elems)), len(s.shape))
		}
		shape = share(c, s.shape[:n])
	}
	if shape == nil {
		shape = m.unknownModes(how+"("+t.name+")", n+1)
	}
	outer := -1
	for i := n; i < len(s.shape); i++ {
		if i == t.outer {
			outer = len(shape)
		}
		shape = append(shape, s.shape[i])
	}
	out := t.with(how, &value.Sequence{Elems: shape}, outer)
	out.split, out.share, out.wide = true, m.shareOf(by, how, t), sharedOperand(by)
	out.deal = m.dealOf(by, t, s.shape[:n])
	return out
}

// tmaPartition gives the views of tma_partition(atom, cta_coord, cta_layout, smem, gmem): mode 0 is one copy's box, the
// others stay.
func tmaPartition(ctas, smem, gmem value.Value) value.Value {
	view := func(v value.Value) value.Value {
		s := newShaped(v, "tma_partition", 1)
		if s.t == nil {
			return value.Data{}
		}
		out := s.t.with("tma_partition", &value.Sequence{Elems: s.shape}, s.outer)
		if n, ok := product(shapeOf(ctas)).(value.Int); !ok {
			out.boxes = -1
		} else if n > 1 {
			out.boxes = int64(n)
		}
		return out
	}
	return tuple(view(smem), view(gmem))
}

// sizeOf names the number of elements of a mode of a value: cute.size(x, mode=[…]).
func sizeOf(v, mode value.Value) value.Value {
	if n := copySize(v); n != nil {
		return n
	}
	if mma, ok := v.(*tiledMMA); ok {
		return mma.threads()
	}
	shape := shapeOf(v)
	if mode != nil {
		if _, all := mode.(value.None); !all {
			if l, ok := v.(*layout); ok {
				shape = l.shape
			}
			return product(pick(shape, mode))
		}
	}
	return product(shape)
}

// rankOf is cute.rank(x), unknown for what only the launch knows.
func rankOf(v value.Value) value.Value {
	switch s := shapeOf(v).(type) {
	case *value.Sequence:
		return value.Int(len(s.Elems))
	case value.Int:
		return value.Int(1)
	case value.Symbol:
		return value.Binary("+", value.Atom("modes of "+s.Expr.String()+" beside the first"), value.Int(1)) // there is one at least
	}
	return value.Data{}
}

// orderedStride is the compact stride of a shape whose modes follow each other in an order.
func orderedStride(shape, order value.Value) value.Value {
	ms, os := modes(shape), modes(order)
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
