package lower

// composed is composition(a, b) of two layouts: b picks elements of a, in a's column-major order. It answers false where
// an extent or stride is not known, or a mode of b falls across modes of a.
func (m *machine) composed(a, b *layout) (*layout, bool) {
	type mode struct{ extent, step int64 }
	list := func(l *layout) ([]mode, bool) {
		ns, ss := flatten(m.settleAll(l.shape)), flatten(m.settleAll(l.strides()))
		var out []mode
		for i := range ns {
			n, ok1 := ns[i].(Int)
			step, ok2 := part(&Sequence{Elems: ss}, i).(Int)
			if !ok1 || !ok2 || n < 1 || step < 0 || len(ns) != len(ss) {
				return nil, false
			}
			out = append(out, mode{int64(n), int64(step)})
		}
		return out, true
	}
	of, ok := list(a)
	if !ok || len(of) == 0 {
		return nil, false
	}
	shape, stride := &Sequence{}, &Sequence{}
	for i, e := range modes(b.shape) {
		picks, ok := list(&layout{shape: e, stride: part(b.strides(), i)})
		if !ok || len(picks) != 1 {
			return nil, false
		}
		left, skip := picks[0].extent, picks[0].step
		var ns, ss []Value
		for k, x := range of {
			switch last := k == len(of)-1; {
			case left == 1 && len(ns) > 0:
			case last:
				ns, ss = append(ns, Int(left)), append(ss, Int(skip*x.step))
				left = 1
			case skip%x.extent == 0:
				skip /= x.extent
			case x.extent%skip != 0:
				return nil, false
			default:
				n := min(left, x.extent/skip)
				if left%n != 0 {
					return nil, false
				}
				ns, ss = append(ns, Int(n)), append(ss, Int(skip*x.step))
				left, skip = left/n, 1
			}
		}
		if len(ns) == 1 {
			shape.Elems, stride.Elems = append(shape.Elems, ns[0]), append(stride.Elems, ss[0])
		} else {
			shape.Elems, stride.Elems = append(shape.Elems, &Sequence{Elems: ns}), append(stride.Elems, &Sequence{Elems: ss})
		}
	}
	return &layout{shape: shape, stride: stride}, true
}

// composition is composition(a, b): the elements of a tensor or layout that b picks; nil of anything else.
func (m *machine) composition(a, b Value, name string) Value {
	if v, ok := m.columnComposition(a, b); ok {
		return v
	}
	if sym, ok := a.(Symbol); ok {
		a = viewOf(sym, 0)
	}
	if t, ok := a.(*tensor); ok {
		out := t.with(name, shapeOf(b), -1)
		out.adrift = out.adrift || t.block == nil
		out.part = out.part || t.block != nil && !sameValue(product(t.shape), product(out.shape))
		return out
	}
	if l, ok := b.(*layout); ok {
		return &layout{shape: l.shape, stride: Data{}}
	}
	return nil
}

// columnComposition is composition(a, b) of a view of tensor memory, or of the layout of one.
func (m *machine) columnComposition(a, b Value) (Value, bool) {
	by, ok := b.(*layout)
	if !ok {
		return nil, false
	}
	t, _ := a.(*tensor)
	of, _ := a.(*layout)
	if t != nil && t.block.InColumns() && t.layout != nil {
		of = &layout{shape: t.shape, stride: t.layout}
	} else if t != nil || of == nil {
		return nil, false
	}
	l, ok := m.composed(of, by)
	if !ok || t == nil {
		return l, ok
	}
	p, _ := m.memberOf(t, "iterator").(Pointer)
	return m.columnTensor(p, l.shape, l.stride), p.Block != nil
}

// columnOperand is make_fragment_A(t) of a view of tensor memory: the rows of 128 are its lanes, and behind each other in a
// lane are the elements of a row (PTX ISA 9.7.16.10.5).
func (m *machine) columnOperand(mma *tiledMMA, t *tensor) (*tensor, bool) {
	ms := modes(m.settleAll(t.shape))
	bits := BitsOf(FirstOf(mma.dtype, Data{}))
	p, ok := m.memberOf(t, "iterator").(Pointer)
	if !ok || bits < 8 || bits > 32 || len(ms) < 2 || product(part(ms[0], 0)) != Int(lanesAll) {
		return nil, false
	}
	p.Elem, p.Each = mma.dtype, bits/8
	steps := &Sequence{Elems: []Value{tuple(Int(laneStep*32/bits), Int(1))}}
	step := product(part(ms[0], 1))
	for _, extent := range ms[1:] {
		steps.Elems = append(steps.Elems, step)
		step = Binary("*", step, product(extent))
	}
	out := m.columnTensor(p, t.shape, steps)
	out.mma, out.local = mma, true
	return out, true
}
