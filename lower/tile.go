package lower

import "slices"

// shaped takes a shape, layout or tensor apart and puts a result of the same sort together again.
type shaped struct {
	of            Value
	shape, stride []Value // top-level modes; stride is nil where it is not known
	outer         int     // tensors: the stage mode
	t             *tensor
	name          string
}

func newShaped(v Value, name string, rank int) shaped {
	s := shaped{of: v, outer: -1, name: name}
	switch v := v.(type) {
	case *layout:
		s.shape = modes(v.shape)
		if _, unknown := v.stride.(Data); !unknown {
			s.stride = modes(v.strides())
		}
	case *tensor:
		s.t, s.outer = v, v.outer
		s.shape = modes(v.shape)
		if v.steps != nil {
			s.stride = modes(v.steps)
		}
	case Symbol: // a tensor or layout that only the launch knows: its rank is what the call needs
		s.t = viewOf(v, max(rank, 1))
		s.shape = modes(s.t.shape)
		if s.t.steps != nil {
			s.stride = modes(s.t.steps)
		}
	case *Sequence, Int:
		s.shape = modes(v)
	}
	if len(s.stride) != len(s.shape) {
		s.stride = nil
	}
	shape := shapeOf(v)
	if s.t != nil {
		shape = s.t.shape
	}
	if sym, ok := shape.(Symbol); ok {
		s.shape, s.stride = partsOf(sym, max(rank, 1)), nil
	}
	return s
}

// result is a value of the same sort with other modes. from names the mode that each new one is, -1 for a new mode.
func (s shaped) result(shape, stride []Value, outer int) Value {
	switch s.of.(type) {
	case *layout:
		l := &layout{shape: &Sequence{Elems: shape}, stride: Data{}}
		if s.stride != nil && len(stride) == len(shape) {
			l.stride = &Sequence{Elems: stride}
		}
		return l
	case *Sequence, Int:
		return &Sequence{Elems: shape}
	}
	if s.t == nil {
		return Data{}
	}
	out := s.t.with(s.name, &Sequence{Elems: shape}, outer)
	if s.stride != nil && len(stride) == len(shape) {
		out.steps = &Sequence{Elems: stride} // where it starts stays the same
	}
	return out
}

// groupModes is cute.group_modes(x, begin, end).
func groupModes(v Value, begin, end int) Value {
	s := newShaped(v, "group_modes", end)
	n := len(s.shape)
	if end < 0 || end > n {
		end = n
	}
	if begin < 0 || begin >= end {
		return v
	}
	group := func(list []Value) []Value {
		if list == nil {
			return nil
		}
		out := append([]Value{}, list[:begin]...)
		out = append(out, &Sequence{Elems: append([]Value{}, list[begin:end]...)})
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
	tile, rest          []Value
	whole               []bool // modes that the tiler leaves alone, with None
	tileSteps, restStep []Value
	layout              bool // the tiler is a layout or a number, not one for each mode
}

func divide(v, tiler Value, name string) divided {
	ts := modes(shapeOf(tiler))
	_, asLayout := tiler.(Int)
	switch tiler := tiler.(type) {
	case *layout:
		ts, asLayout = []Value{tiler}, true
	case Symbol: // tiles that a library function chose have two modes
		if len(modes(shapeOf(v))) > 1 {
			ts = partsOf(tiler, 2)
		}
	}
	d := divided{shaped: newShaped(v, name, len(ts)), n: len(ts), layout: asLayout}
	for i, m := range d.shape {
		var step Value
		if d.stride != nil {
			step = d.stride[i]
		}
		if i >= len(ts) {
			d.rest = append(d.rest, m)
			d.restStep = append(d.restStep, step)
			continue
		}
		t := ts[i]
		_, whole := t.(None)
		if whole {
			t = m
		}
		d.whole = append(d.whole, whole)
		scattered := false
		switch tile := t.(type) {
		case *layout:
			t, scattered = tile.shape, !unitStride(tile)
		case *Sequence:
			scattered = true // its modes have strides of their own
		}
		d.tile, d.rest = append(d.tile, t), append(d.rest, ceilDiv(product(m), product(t)))
		if _, nested := m.(*Sequence); nested || step == nil || scattered || d.t != nil && d.t.block != nil && !fills(t, m) {
			d.stride = nil
			continue
		}
		d.tileSteps, d.restStep = append(d.tileSteps, step), append(d.restStep, Binary("*", step, product(t)))
	}
	return d
}

// unitStride reports whether a layout of one mode numbers its elements one after another.
func unitStride(l *layout) bool {
	n, flat := l.strides().(Int)
	_, known := l.stride.(Data)
	return flat && !known && n == 1
}

// fills reports whether tiles are known to fill what they divide: the last one does not stick out.
func fills(tile, of Value) bool {
	n, ok1 := product(tile).(Int)
	m, ok2 := product(of).(Int)
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
func (d divided) view(v Value) Value {
	if t, ok := v.(*tensor); ok && t.block != nil && d.partial() {
		t.part = true
	}
	return v
}

func (d divided) zipped() Value {
	return d.view(d.result([]Value{&Sequence{Elems: d.tile}, &Sequence{Elems: d.rest}}, d.steps([]Value{&Sequence{Elems: d.tileSteps}, &Sequence{Elems: d.restStep}}), -1))
}

func (d divided) tiled() Value {
	outer := -1
	if d.outer >= d.n {
		outer = 1 + d.outer
	}
	return d.view(d.result(append([]Value{&Sequence{Elems: d.tile}}, d.rest...), d.steps(append([]Value{&Sequence{Elems: d.tileSteps}}, d.restStep...)), outer))
}

func (d divided) flat() Value {
	outer := -1
	if d.outer >= d.n {
		outer = len(d.tile) + d.outer
	}
	return d.view(d.result(append(append([]Value{}, d.tile...), d.rest...), d.steps(append(append([]Value{}, d.tileSteps...), d.restStep...)), outer))
}

// logical is the division mode by mode. A mode that the tiler leaves alone stays as it is.
func (d divided) logical() Value {
	var shape, stride []Value
	for i := range d.rest {
		s, step := d.rest[i], part(&Sequence{Elems: d.restStep}, i)
		switch {
		case i < len(d.tile) && d.whole[i]:
			s, step = d.tile[i], part(&Sequence{Elems: d.tileSteps}, i)
		case i < len(d.tile):
			s, step = tuple(d.tile[i], s), tuple(part(&Sequence{Elems: d.tileSteps}, i), step)
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
	if pair, ok := First(shape).(*Sequence); ok && d.layout && len(shape) == 1 { // divided as a whole, not mode by mode
		if shape = pair.Elems; d.stride != nil {
			stride = modes(stride[0])
		}
	}
	return d.view(d.result(shape, stride, outer))
}

func (d divided) steps(list []Value) []Value {
	if d.stride == nil {
		return nil
	}
	return list
}

// localTile is cute.local_tile(x, tiler, coord, proj): the tiles at a coordinate. None keeps all tiles along a mode,
// and where the projection has None, neither the tiler's mode nor the coordinate's is one of x.
func localTile(v, tiler, coord, proj Value) Value {
	ts, cs := modes(shapeOf(tiler)), modes(coord)
	if p, ok := proj.(*Sequence); ok {
		ts, cs = dice(p.Elems, ts), dice(p.Elems, cs)
	}
	if sym, ok := v.(Symbol); ok && len(cs) > len(ts) { // the coordinate tells the rank
		v = viewOf(sym, len(cs))
	} else if t, ok := v.(*tensor); ok && len(cs) > len(ts) {
		if sym, ok := t.shape.(Symbol); ok {
			of := *t
			of.shape = &Sequence{Elems: partsOf(sym, len(cs))}
			v = &of
		}
	}
	d := divide(v, &Sequence{Elems: ts}, "local_tile")
	shape := append([]Value{}, d.tile...)
	outer := -1
	var stage Value
	for i, r := range d.rest {
		var c Value = None{}
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
	v2 := d.view(d.t.cutInTiles(ts, cs).with("local_tile", &Sequence{Elems: shape}, outer)).(*tensor)
	if d.stride != nil {
		at := &Sequence{Elems: slices.Repeat([]Value{None{}}, len(d.rest))}
		copy(at.Elems, cs)
		v2.origin = Binary("+", d.t.origin, offset(&Sequence{Elems: d.rest}, &Sequence{Elems: d.restStep}, at))
		v2.steps = &Sequence{Elems: append(slices.Clone(d.tileSteps), kept(&Sequence{Elems: d.restStep}, at)...)}
	}
	if stage != nil {
		v2.stage, v2.lost = stage, d.t.lost
	}
	// Tiles of one tensor at different coordinates have the same extents.
	v2.name = "local_tile(" + d.t.name + ", " + Canonical(&Sequence{Elems: ts}) + ")"
	return v2.clip()
}

func partsOf(shape Value, n int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = part(shape, i)
	}
	return out
}

// dice keeps what a projection does not mark with None.
func dice(proj, list []Value) []Value {
	var out []Value
	for i, p := range proj {
		if _, drop := p.(None); !drop && i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}

// partition is a thread's part of a tensor (partition_S, partition_D, partition_A, partition_B, partition_C): the values of
// one thread first, then how often the pattern repeats along both modes of the tile, then the modes beyond the tile.
func (m *machine) partition(v Value, by Value, how string) Value {
	s := newShaped(v, how, 2)
	if s.t == nil {
		return Data{}
	}
	t := s.t
	n := min(2, len(s.shape))
	shape := []Value(nil)
	if tile, nested := First(s.shape).(*Sequence); nested && isTensorCopy(by) && product(tile.Elems[0]) != Int(lanesAll) {
		n = 1 // a mode that has all lanes and columns of a tile, and the tiles beyond
	} else if atomKind(by) != "" {
		c := by.(*Object)
		if tile, ok := c.Fields["tiler_mn"].(*Sequence); ok {
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
	out := t.with(how, &Sequence{Elems: shape}, outer)
	out.split, out.share, out.wide = true, m.shareOf(by, how, t), sharedOperand(by)
	out.deal = m.dealOf(by, t, s.shape[:n])
	return out
}

// tmaPartition gives the views of tma_partition(atom, cta_coord, cta_layout, smem, gmem): mode 0 is one copy's box, the
// others stay.
func tmaPartition(ctas, smem, gmem Value) Value {
	view := func(v Value) Value {
		s := newShaped(v, "tma_partition", 1)
		if s.t == nil {
			return Data{}
		}
		out := s.t.with("tma_partition", &Sequence{Elems: s.shape}, s.outer)
		if n, ok := product(shapeOf(ctas)).(Int); !ok {
			out.boxes = -1
		} else if n > 1 {
			out.boxes = int64(n)
		}
		return out
	}
	return tuple(view(smem), view(gmem))
}

// sizeOf names the number of elements of a mode of a value: cute.size(x, mode=[…]).
func sizeOf(v, mode Value) Value {
	if n := copySize(v); n != nil {
		return n
	}
	if mma, ok := v.(*tiledMMA); ok {
		return mma.threads()
	}
	shape := shapeOf(v)
	if mode != nil {
		if _, all := mode.(None); !all {
			if l, ok := v.(*layout); ok {
				shape = l.shape
			}
			return product(pick(shape, mode))
		}
	}
	return product(shape)
}

// rankOf is cute.rank(x), unknown for what only the launch knows.
func rankOf(v Value) Value {
	switch s := shapeOf(v).(type) {
	case *Sequence:
		return Int(len(s.Elems))
	case Int:
		return Int(1)
	case Symbol:
		return Binary("+", Atom("modes of "+s.Expr.String()+" beside the first"), Int(1)) // there is one at least
	}
	return Data{}
}

func orderedStride(shape, order Value) Value {
	ms, os := modes(shape), modes(order)
	if len(ms) != len(os) {
		return Data{}
	}
	stride := make([]Value, len(ms))
	var step Value = Int(1)
	for k := 0; k < len(ms); k++ {
		best, at := Int(1<<40), -1
		for i, o := range os {
			if n, ok := o.(Int); ok && stride[i] == nil && n < best {
				best, at = n, i
			}
		}
		if at < 0 {
			return Data{}
		}
		stride[at] = compact(ms[at], &step)
	}
	return &Sequence{Elems: stride}
}
