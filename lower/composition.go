package lower

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// composed is composition(a, b) of two layouts: b picks elements of a, in a's column-major order. It answers false where
// an extent or stride is not known, or a mode of b falls across modes of a.
func (m *machine) composed(a, b *cute.Layout) (*cute.Layout, bool) {
	type mode struct{ extent, step int64 }
	list := func(l *cute.Layout) ([]mode, bool) {
		ns, ss := cute.Flatten(m.settleAll(l.Shape)), cute.Flatten(m.settleAll(l.Strides()))
		var out []mode
		for i := range ns {
			n, ok1 := ns[i].(value.Int)
			step, ok2 := cute.Part(&value.Sequence{Elems: ss}, i).(value.Int)
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
	shape, stride := &value.Sequence{}, &value.Sequence{}
	for i, e := range cute.Modes(b.Shape) {
		picks, ok := list(&cute.Layout{Shape: e, Stride: cute.Part(b.Strides(), i)})
		if !ok || len(picks) != 1 {
			return nil, false
		}
		left, skip := picks[0].extent, picks[0].step
		var ns, ss []value.Value
		for k, x := range of {
			switch last := k == len(of)-1; {
			case left == 1 && len(ns) > 0:
			case last:
				ns, ss = append(ns, value.Int(left)), append(ss, value.Int(skip*x.step))
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
				ns, ss = append(ns, value.Int(n)), append(ss, value.Int(skip*x.step))
				left, skip = left/n, 1
			}
		}
		if len(ns) == 1 {
			shape.Elems, stride.Elems = append(shape.Elems, ns[0]), append(stride.Elems, ss[0])
		} else {
			shape.Elems, stride.Elems = append(shape.Elems, &value.Sequence{Elems: ns}), append(stride.Elems, &value.Sequence{Elems: ss})
		}
	}
	return &cute.Layout{Shape: shape, Stride: stride}, true
}

// composition is composition(a, b): the elements of a tensor or layout that b picks; nil of anything else.
func (m *machine) composition(a, b value.Value, name string) value.Value {
	if v, ok := m.columnComposition(a, b); ok {
		return v
	}
	if sym, ok := a.(value.Symbol); ok {
		a = cute.ViewOf(sym, 0)
	}
	if t, ok := a.(*cute.Tensor); ok {
		out := t.With(name, cute.ShapeOf(b), -1)
		out.Adrift = out.Adrift || t.Block == nil
		out.Part = out.Part || t.Block != nil && !value.Same(cute.Product(t.Shape), cute.Product(out.Shape))
		return out
	}
	if l, ok := b.(*cute.Layout); ok {
		return &cute.Layout{Shape: l.Shape, Stride: value.Data{}}
	}
	return nil
}

// columnComposition is composition(a, b) of a view of tensor memory, or of the layout of one.
func (m *machine) columnComposition(a, b value.Value) (value.Value, bool) {
	by, ok := b.(*cute.Layout)
	if !ok {
		return nil, false
	}
	t, _ := a.(*cute.Tensor)
	of, _ := a.(*cute.Layout)
	if t != nil && t.Block.InColumns() && t.Strided() {
		of = &cute.Layout{Shape: t.Shape, Stride: t.Layout}
	} else if t != nil || of == nil {
		return nil, false
	}
	l, ok := m.composed(of, by)
	if !ok || t == nil {
		return l, ok
	}
	p, _ := m.memberOf(t, "iterator").(value.Pointer)
	return m.columnTensor(p, l.Shape, l.Stride), p.Block != nil
}

// columnOperand is make_fragment_A(t) of a view of tensor memory: the rows of 128 are its lanes, and behind each other in a
// lane are the elements of a row (PTX ISA 9.7.16.10.5).
func (m *machine) columnOperand(mma *cute.TiledMMA, t *cute.Tensor) (*cute.Tensor, bool) {
	ms := cute.Modes(m.settleAll(t.Shape))
	bits := value.BitsOf(value.FirstOf(mma.Dtype, value.Data{}))
	p, ok := m.memberOf(t, "iterator").(value.Pointer)
	if !ok || bits < 8 || bits > 32 || len(ms) < 2 || cute.Product(cute.Part(ms[0], 0)) != value.Int(memory.LanesAll) {
		return nil, false
	}
	p.Elem, p.Each = mma.Dtype, bits/8
	steps := &value.Sequence{Elems: []value.Value{cute.Tuple(value.Int(memory.LaneStep*32/bits), value.Int(1))}}
	step := cute.Product(cute.Part(ms[0], 1))
	for _, extent := range ms[1:] {
		steps.Elems = append(steps.Elems, step)
		step = value.Binary("*", step, cute.Product(extent))
	}
	out := m.columnTensor(p, t.Shape, steps)
	out.Mma, out.Local = mma, true
	return out, true
}
