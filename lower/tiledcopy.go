package lower

import "slices"

// tiledCopy is make_tiled_copy_tv(atom, thr_layout, val_layout): an atom, how many threads perform it, and which part of
// a tile is whose. Each mode of the tile is val's extent times thr's, values side by side.
func (m *machine) tiledCopy(atom value, thr, val value) value {
	c := copyAtom("thread")
	if o, ok := atom.(*object); ok && atomKind(o) != "" {
		for name, f := range o.fields {
			c.fields[name] = f
		}
	}
	if m.launch != nil {
		thr, val = m.concreteLayout(thr), m.concreteLayout(val)
	}
	ts, vs := shapeOf(thr), shapeOf(val)
	c.fields["size"] = product(ts)
	c.fields["values"] = product(vs)
	c.fields["thr"], c.fields["val"] = thr, val
	tile := &sequence{}
	var steps []value // of the tile's modes, column by column
	var step value = integer(1)
	for i := range max(len(modes(ts)), len(modes(vs))) {
		e := binary("*", product(part(ts, i)), product(part(vs, i)))
		tile.elems, steps = append(tile.elems, e), append(steps, step)
		step = binary("*", step, e)
	}
	tv := &layout{shape: tuple(inverse(thr, vs, steps), inverse(val, integer(1), steps)), stride: data{}}
	c.fields["tiler_mn"], c.fields["layout_tv"], c.fields["layout_tv_tiled"] = tile, tv, tv
	return c
}

func (m *machine) concreteLayout(v value) value {
	if l, ok := v.(*layout); ok {
		return &layout{shape: m.concrete(l.shape), stride: m.concrete(l.strides())}
	}
	return m.concrete(v)
}

// inverse is the shape that one side of a thread-value layout has: the modes of the layout by rising stride, those of
// extent 1 left out, neighbours that are contiguous in the tile as one. inner is how much of each mode of the tile one
// element spans.
func inverse(v, inner value, steps []value) value {
	shape, stride := modes(shapeOf(v)), []value(nil)
	if l, ok := v.(*layout); ok {
		stride = modes(l.strides())
	}
	type mode struct{ extent, stride, step int64 }
	var list []mode
	for i, e := range shape {
		n, ok1 := product(e).(integer)
		s, ok2 := part(&sequence{elems: stride}, i).(integer)
		t, ok3 := binary("*", steps[i], product(part(inner, i))).(integer)
		if !ok1 || !ok2 || !ok3 || len(stride) != len(shape) {
			return product(&sequence{elems: shape})
		}
		if n != 1 {
			list = append(list, mode{int64(n), int64(s), int64(t)})
		}
	}
	slices.SortFunc(list, func(a, b mode) int { return int(a.stride - b.stride) })
	var out []value
	last := mode{}
	for _, e := range list {
		if n := len(out); n > 0 && last.extent*last.step == e.step {
			out[n-1] = integer(last.extent * e.extent)
			last.extent *= e.extent
			continue
		}
		out, last = append(out, integer(e.extent)), e
	}
	switch len(out) {
	case 0:
		return integer(1)
	case 1:
		return out[0]
	}
	return &sequence{elems: out}
}

// copySize is how many threads perform a tiled copy, nil for anything else.
func copySize(v value) value {
	if atomKind(v) == "" {
		return nil
	}
	return v.(*object).fields["size"]
}

// share is a thread's part of a tensor by a tiled copy: the values of one atom and the atoms of one tile, then how often
// the tile repeats along each of its modes, then the modes beyond.
func share(c *object, shape []value) []value {
	tile, ok := c.fields["tiler_mn"].(*sequence)
	if !ok || len(shape) < len(tile.elems) {
		return nil
	}
	values := c.fields["values"]
	var one value = values
	bits, ok1 := c.fields["bits"].(integer)
	if wide := bitsOf(firstOf(c.fields["dtype"], data{})); ok1 && wide > 0 {
		one = binary("//", bits, integer(wide))
	}
	out := []value{tuple(one, ceilDiv(values, one))}
	for i, e := range tile.elems {
		out = append(out, ceilDiv(product(shape[i]), e))
	}
	return append(out, shape[len(tile.elems):]...)
}
