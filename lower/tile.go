package lower

import "slices"

// shaped takes a shape, layout or tensor apart and puts a result of the same sort together again.
type shaped struct {
	of            value
	shape, stride []value // top-level modes; stride is nil where it is not known
	outer         int     // tensors: the stage mode
	t             *tensor
	name          string
}

func newShaped(v value, name string, rank int) shaped {
	s := shaped{of: v, outer: -1, name: name}
	switch v := v.(type) {
	case *layout:
		s.shape = modes(v.shape)
		if _, unknown := v.stride.(data); !unknown {
			s.stride = modes(v.strides())
		}
	case *tensor:
		s.t, s.outer = v, v.outer
		s.shape = modes(v.shape)
		if v.steps != nil {
			s.stride = modes(v.steps)
		}
	case symbol: // a tensor or layout that only the launch knows: its rank is what the call needs
		s.t = viewOf(v, max(rank, 1))
		s.shape = modes(s.t.shape)
		if s.t.steps != nil {
			s.stride = modes(s.t.steps)
		}
	case *sequence, integer:
		s.shape = modes(v)
	}
	if len(s.stride) != len(s.shape) {
		s.stride = nil
	}
	shape := shapeOf(v)
	if s.t != nil {
		shape = s.t.shape
	}
	if sym, ok := shape.(symbol); ok {
		s.shape, s.stride = partsOf(sym, max(rank, 1)), nil
	}
	return s
}

// result is a value of the same sort with other modes. from names the mode that each new one is, -1 for a new mode.
func (s shaped) result(shape, stride []value, outer int) value {
	switch s.of.(type) {
	case *layout:
		l := &layout{shape: &sequence{elems: shape}, stride: data{}}
		if s.stride != nil && len(stride) == len(shape) {
			l.stride = &sequence{elems: stride}
		}
		return l
	case *sequence, integer:
		return &sequence{elems: shape}
	}
	if s.t == nil {
		return data{}
	}
	out := s.t.with(s.name, &sequence{elems: shape}, outer)
	if s.stride != nil && len(stride) == len(shape) {
		out.steps = &sequence{elems: stride} // where it starts stays the same
	}
	return out
}

// groupModes is cute.group_modes(x, begin, end).
func groupModes(v value, begin, end int) value {
	s := newShaped(v, "group_modes", end)
	n := len(s.shape)
	if end < 0 || end > n {
		end = n
	}
	if begin < 0 || begin >= end {
		return v
	}
	group := func(list []value) []value {
		if list == nil {
			return nil
		}
		out := append([]value{}, list[:begin]...)
		out = append(out, &sequence{elems: append([]value{}, list[begin:end]...)})
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
	tile, rest          []value
	whole               []bool // modes that the tiler leaves alone, with None
	tileSteps, restStep []value
	layout              bool // the tiler is a layout or a number, not one for each mode
}

func divide(v, tiler value, name string) divided {
	ts := modes(shapeOf(tiler))
	_, asLayout := tiler.(integer)
	switch tiler := tiler.(type) {
	case *layout:
		ts, asLayout = []value{tiler}, true
	case symbol: // tiles that a library function chose have two modes
		if len(modes(shapeOf(v))) > 1 {
			ts = partsOf(tiler, 2)
		}
	}
	d := divided{shaped: newShaped(v, name, len(ts)), n: len(ts), layout: asLayout}
	for i, m := range d.shape {
		var step value
		if d.stride != nil {
			step = d.stride[i]
		}
		if i >= len(ts) {
			d.rest = append(d.rest, m)
			d.restStep = append(d.restStep, step)
			continue
		}
		t := ts[i]
		_, whole := t.(none)
		if whole {
			t = m
		}
		d.whole = append(d.whole, whole)
		scattered := false
		switch tile := t.(type) {
		case *layout:
			t, scattered = tile.shape, !unitStride(tile)
		case *sequence:
			scattered = true // its modes have strides of their own
		}
		d.tile, d.rest = append(d.tile, t), append(d.rest, ceilDiv(product(m), product(t)))
		if _, nested := m.(*sequence); nested || step == nil || scattered || d.t != nil && d.t.block != nil && !fills(t, m) {
			d.stride = nil
			continue
		}
		d.tileSteps, d.restStep = append(d.tileSteps, step), append(d.restStep, binary("*", step, product(t)))
	}
	return d
}

// unitStride reports whether a layout of one mode numbers its elements one after another.
func unitStride(l *layout) bool {
	n, flat := l.strides().(integer)
	_, known := l.stride.(data)
	return flat && !known && n == 1
}

// fills reports whether tiles are known to fill what they divide: the last one does not stick out.
func fills(tile, of value) bool {
	n, ok1 := product(tile).(integer)
	m, ok2 := product(of).(integer)
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
func (d divided) view(v value) value {
	if t, ok := v.(*tensor); ok && t.block != nil && d.partial() {
		t.part = true
	}
	return v
}

func (d divided) zipped() value {
	return d.view(d.result([]value{&sequence{elems: d.tile}, &sequence{elems: d.rest}}, d.steps([]value{&sequence{elems: d.tileSteps}, &sequence{elems: d.restStep}}), -1))
}

func (d divided) tiled() value {
	outer := -1
	if d.outer >= d.n {
		outer = 1 + d.outer
	}
	return d.view(d.result(append([]value{&sequence{elems: d.tile}}, d.rest...), d.steps(append([]value{&sequence{elems: d.tileSteps}}, d.restStep...)), outer))
}

func (d divided) flat() value {
	outer := -1
	if d.outer >= d.n {
		outer = len(d.tile) + d.outer
	}
	return d.view(d.result(append(append([]value{}, d.tile...), d.rest...), d.steps(append(append([]value{}, d.tileSteps...), d.restStep...)), outer))
}

// logical is the division mode by mode. A mode that the tiler leaves alone stays as it is.
func (d divided) logical() value {
	var shape, stride []value
	for i := range d.rest {
		s, step := d.rest[i], part(&sequence{elems: d.restStep}, i)
		switch {
		case i < len(d.tile) && d.whole[i]:
			s, step = d.tile[i], part(&sequence{elems: d.tileSteps}, i)
		case i < len(d.tile):
			s, step = tuple(d.tile[i], s), tuple(part(&sequence{elems: d.tileSteps}, i), step)
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
	if pair, ok := first(shape).(*sequence); ok && d.layout && len(shape) == 1 { // divided as a whole, not mode by mode
		if shape = pair.elems; d.stride != nil {
			stride = modes(stride[0])
		}
	}
	return d.view(d.result(shape, stride, outer))
}

func (d divided) steps(list []value) []value {
	if d.stride == nil {
		return nil
	}
	return list
}

// localTile is cute.local_tile(x, tiler, coord, proj): the tiles at a coordinate. None keeps all tiles along a mode,
// and where the projection has None, neither the tiler's mode nor the coordinate's is one of x.
func localTile(v, tiler, coord, proj value) value {
	ts, cs := modes(shapeOf(tiler)), modes(coord)
	if p, ok := proj.(*sequence); ok {
		ts, cs = dice(p.elems, ts), dice(p.elems, cs)
	}
	if sym, ok := v.(symbol); ok && len(cs) > len(ts) { // the coordinate tells the rank
		v = viewOf(sym, len(cs))
	} else if t, ok := v.(*tensor); ok && len(cs) > len(ts) {
		if sym, ok := t.shape.(symbol); ok {
			of := *t
			of.shape = &sequence{elems: partsOf(sym, len(cs))}
			v = &of
		}
	}
	d := divide(v, &sequence{elems: ts}, "local_tile")
	shape := append([]value{}, d.tile...)
	outer := -1
	var stage value
	for i, r := range d.rest {
		var c value = none{}
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
	v2 := d.view(d.t.cutInTiles(ts, cs).with("local_tile", &sequence{elems: shape}, outer)).(*tensor)
	if d.stride != nil {
		at := &sequence{elems: slices.Repeat([]value{none{}}, len(d.rest))}
		copy(at.elems, cs)
		v2.origin = binary("+", d.t.origin, offset(&sequence{elems: d.rest}, &sequence{elems: d.restStep}, at))
		v2.steps = &sequence{elems: append(slices.Clone(d.tileSteps), kept(&sequence{elems: d.restStep}, at)...)}
	}
	if stage != nil {
		v2.stage, v2.lost = stage, d.t.lost
	}
	// Tiles of one tensor at different coordinates have the same extents.
	v2.name = "local_tile(" + d.t.name + ", " + canonical(&sequence{elems: ts}) + ")"
	return v2.clip()
}

func partsOf(shape value, n int) []value {
	out := make([]value, n)
	for i := range out {
		out[i] = part(shape, i)
	}
	return out
}

// dice keeps what a projection does not mark with None.
func dice(proj, list []value) []value {
	var out []value
	for i, p := range proj {
		if _, drop := p.(none); !drop && i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}

// partition is a thread's part of a tensor (partition_S, partition_D, partition_A, partition_B, partition_C): the values of
// one thread first, then how often the pattern repeats along both modes of the tile, then the modes beyond the tile.
func (m *machine) partition(v value, by value, how string) value {
	s := newShaped(v, how, 2)
	if s.t == nil {
		return data{}
	}
	t := s.t
	n := min(2, len(s.shape))
	shape := []value(nil)
	if tile, nested := first(s.shape).(*sequence); nested && isTensorCopy(by) && product(tile.elems[0]) != integer(lanesAll) {
		n = 1 // a mode that has all lanes and columns of a tile, and the tiles beyond
	} else if atomKind(by) != "" {
		c := by.(*object)
		if tile, ok := c.fields["tiler_mn"].(*sequence); ok {
			n = min(max(1, len(tile.elems)), len(s.shape))
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
	out := t.with(how, &sequence{elems: shape}, outer)
	out.split, out.share, out.wide = true, m.shareOf(by, how, t), sharedOperand(by)
	out.deal = m.dealOf(by, t, s.shape[:n])
	return out
}

// tmaPartition gives the views of tma_partition(atom, cta_coord, cta_layout, smem, gmem): mode 0 is one copy's box, the
// others stay.
func tmaPartition(ctas, smem, gmem value) value {
	view := func(v value) value {
		s := newShaped(v, "tma_partition", 1)
		if s.t == nil {
			return data{}
		}
		out := s.t.with("tma_partition", &sequence{elems: s.shape}, s.outer)
		if n, ok := product(shapeOf(ctas)).(integer); !ok {
			out.boxes = -1
		} else if n > 1 {
			out.boxes = int64(n)
		}
		return out
	}
	return tuple(view(smem), view(gmem))
}

// sizeOf names the number of elements of a mode of a value: cute.size(x, mode=[…]).
func sizeOf(v, mode value) value {
	if n := copySize(v); n != nil {
		return n
	}
	if mma, ok := v.(*tiledMMA); ok {
		return mma.threads()
	}
	shape := shapeOf(v)
	if mode != nil {
		if _, all := mode.(none); !all {
			if l, ok := v.(*layout); ok {
				shape = l.shape
			}
			return product(pick(shape, mode))
		}
	}
	return product(shape)
}

// rankOf is cute.rank(x), unknown for what only the launch knows.
func rankOf(v value) value {
	switch s := shapeOf(v).(type) {
	case *sequence:
		return integer(len(s.elems))
	case integer:
		return integer(1)
	case symbol:
		return binary("+", atom("modes of "+s.expr.String()+" beside the first"), integer(1)) // there is one at least
	}
	return data{}
}

func orderedStride(shape, order value) value {
	ms, os := modes(shape), modes(order)
	if len(ms) != len(os) {
		return data{}
	}
	stride := make([]value, len(ms))
	var step value = integer(1)
	for k := 0; k < len(ms); k++ {
		best, at := integer(1<<40), -1
		for i, o := range os {
			if n, ok := o.(integer); ok && stride[i] == nil && n < best {
				best, at = n, i
			}
		}
		if at < 0 {
			return data{}
		}
		stride[at] = compact(ms[at], &step)
	}
	return &sequence{elems: stride}
}
