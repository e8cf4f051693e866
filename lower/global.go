package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Views of global memory count its elements by coordinates of the parameter: its strides are not known, and elements at
// different coordinates are different ones, so any pitch that is larger than an index tells them apart.

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

// laid says of a tensor that it is a layout over the global memory at an address.
func (m *machine) laid(t *Tensor, address value.Symbol, over value.Value) {
	t.Root = value.Canonical(address)
	if p, ok := m.globalElement(address, nil); ok {
		t.Root = p.Block.Name
		by, _, known := m.places(p.Offset)
		t.Adrift = !known || len(by) > 0 // coordinates of it are other elements for each CTA
	}
	t.DividedBy(value.Canonical(address), over)
	l, ok := over.(*Layout)
	if !ok {
		return
	}
	if _, unknown := l.Stride.(value.Data); !unknown {
		t.Base, t.Origin, t.Steps = address.Expr, value.Int(0), l.Strides()
	}
}

// inputView is a view of a parameter at a coordinate with None.
func (m *machine) inputView(sym value.Symbol, coord *value.Sequence) *Tensor {
	t := ViewOf(sym, len(coord.Elems))
	t.Input = true
	return t.Index(coord)
}

// Shifted is cute.domain_offset(coord, tensor): the same memory from a coordinate on.
func Shifted(of, coord value.Value) (value.Value, bool) {
	t, ok := of.(*Tensor)
	if sym, is := of.(value.Symbol); is {
		rank := 1
		switch c := coord.(type) {
		case *value.Sequence:
			rank = len(c.Elems)
		case value.Symbol, value.Data: // a tuple or a number
			rank = 0
		}
		t, ok = ViewOf(sym, rank), true
	}
	if !ok {
		return nil, false
	}
	out := t.With("domain_offset", t.Shape, t.Outer)
	out.Adrift = true
	if t.Steps == nil || !Congruent(t.Shape, coord) {
		return out, true
	}
	by := Offset(t.Shape, t.Steps, coord)
	switch by.(type) {
	case value.Int, value.Lanes:
		out.Steps, out.Origin, out.Adrift = t.Steps, value.Binary("+", t.Origin, by), t.Adrift || t.Block == nil
	default:
		if t.Block == nil {
			out.Steps, out.Origin = t.Steps, value.Binary("+", t.Origin, by)
		}
	}
	return out, true
}

// globalStart is the address in global memory where a view starts whose places are known.
func (m *machine) globalStart(t *Tensor) (value.Pointer, bool) {
	if t.Block != nil || t.Base == nil || t.Steps == nil || t.Split || t.Local {
		return value.Pointer{}, false
	}
	p, ok := m.globalElement(value.Symbol{Expr: t.Base}, slices.Repeat([]value.Value{value.Int(0)}, t.Rank))
	p.Offset = value.Binary("+", p.Offset, t.Origin)
	p.Elem = t.Dtype
	return p, ok
}

// globalSpot is the address of the element of a view at a coordinate.
func (m *machine) globalSpot(t *Tensor, coord *value.Sequence) (value.Pointer, bool) {
	if t.Block != nil || t.Base == nil || t.Steps == nil || !Congruent(t.Shape, coord) {
		return value.Pointer{}, false
	}
	at := t.Index(coord)
	p, ok := m.globalStart(at)
	if !at.Adrift && LiesIn(t.Shape, coord) {
		p.Cuts = at.Cuts
	}
	return p, ok
}

// LiesIn reports whether a coordinate is known to lie in a shape.
func LiesIn(shape, coord value.Value) bool {
	if c, ok := coord.(*value.Sequence); ok {
		s, ok := shape.(*value.Sequence)
		return ok && slices.EqualFunc(s.Elems, c.Elems, LiesIn)
	}
	n, ok := Product(shape).(value.Int)
	switch c := coord.(type) {
	case value.Int:
		return ok && 0 <= c && c < n
	case value.Lanes:
		return ok && 0 <= slices.Min(c) && slices.Max(c) < int64(n)
	}
	return false
}

// Congruent reports whether a coordinate has a part for each mode of a shape, or none for those within a mode.
func Congruent(shape, coord value.Value) bool {
	c, ok := coord.(*value.Sequence)
	if !ok {
		return true
	}
	s, ok := shape.(*value.Sequence)
	if !ok {
		return len(c.Elems) == 1 && Congruent(shape, c.Elems[0])
	}
	return slices.EqualFunc(s.Elems, c.Elems, Congruent)
}

// touchesGlobal notes that each thread accesses all of a tensor that may be in global memory: v is what it stores.
func (m *machine) touchesGlobal(t *Tensor, write bool, v value.Value, n program.Node) {
	if t == nil || m.host {
		return
	}
	p, ok := m.globalStart(t)
	if ok {
		starts, width, known := m.runs(t)
		for _, s := range starts {
			q, a := p, protocol.Access{Write: write}
			if q.Cuts = t.Cuts; t.Adrift {
				q.Cuts = nil
			}
			q.Offset = value.Binary("+", p.Offset, value.Int(s))
			if write {
				a.Stored = m.valueStored(v)
			}
			m.accessing(q, a, width, n)
		}
		ok = known
	}
	if !ok {
		m.reachesTensor(t, write, n)
	}
}
