package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Views of global memory count its elements by coordinates of the parameter: its strides are not known, and elements at
// different coordinates are different ones, so any pitch that is larger than an index tells them apart.

// rowPitch is what is taken for the pitch of a mode of a tensor in global memory.
const rowPitch = 1 << 20

// maxPitched is the largest number of modes of which places can be told.
const maxPitched = 3

// viewOf is all of the tensor that a symbol names: with so many modes, or with those that its shape turns out to have where rank is 0.
func viewOf(sym value.Symbol, rank int) *tensor {
	t := &tensor{name: value.Canonical(sym), shape: shapeOf(sym), outer: -1, root: value.Canonical(sym)}
	if rank == 0 {
		return t
	}
	t.shape = &value.Sequence{Elems: partsOf(t.shape, rank)}
	if rank <= maxPitched {
		steps := make([]value.Value, rank)
		step := int64(1)
		for i := range slices.Backward(steps) {
			steps[i] = value.Int(step)
			step *= rowPitch
		}
		t.base, t.rank, t.origin, t.steps = sym.Expr, rank, value.Int(0), &value.Sequence{Elems: steps}
	}
	return t
}

// laid says of a tensor that it is a layout over the global memory at an address.
func (m *machine) laid(t *tensor, address value.Symbol, over value.Value) {
	t.root = value.Canonical(address)
	if p, ok := m.globalElement(address, nil); ok {
		t.root = p.Block.Name
		by, _, known := m.places(p.Offset)
		t.adrift = !known || len(by) > 0 // coordinates of it are other elements for each CTA
	}
	t.dividedBy(value.Canonical(address), over)
	l, ok := over.(*layout)
	if !ok {
		return
	}
	if _, unknown := l.stride.(value.Data); !unknown {
		t.base, t.origin, t.steps = address.Expr, value.Int(0), l.strides()
	}
}

// inputView is a view of a parameter at a coordinate with None.
func (m *machine) inputView(sym value.Symbol, coord *value.Sequence) *tensor {
	t := viewOf(sym, len(coord.Elems))
	t.input = true
	return t.index(coord)
}

// shifted is cute.domain_offset(coord, tensor): the same memory from a coordinate on.
func shifted(of, coord value.Value) (value.Value, bool) {
	t, ok := of.(*tensor)
	if sym, is := of.(value.Symbol); is {
		rank := 1
		switch c := coord.(type) {
		case *value.Sequence:
			rank = len(c.Elems)
		case value.Symbol, value.Data: // a tuple or a number
			rank = 0
		}
		t, ok = viewOf(sym, rank), true
	}
	if !ok {
		return nil, false
	}
	out := t.with("domain_offset", t.shape, t.outer)
	out.adrift = true
	if t.steps == nil || !congruent(t.shape, coord) {
		return out, true
	}
	by := offset(t.shape, t.steps, coord)
	switch by.(type) {
	case value.Int, value.Lanes:
		out.steps, out.origin, out.adrift = t.steps, value.Binary("+", t.origin, by), t.adrift || t.block == nil
	default:
		if t.block == nil {
			out.steps, out.origin = t.steps, value.Binary("+", t.origin, by)
		}
	}
	return out, true
}

// globalStart is the address in global memory where a view starts whose places are known.
func (m *machine) globalStart(t *tensor) (value.Pointer, bool) {
	if t.block != nil || t.base == nil || t.steps == nil || t.split || t.local {
		return value.Pointer{}, false
	}
	p, ok := m.globalElement(value.Symbol{Expr: t.base}, slices.Repeat([]value.Value{value.Int(0)}, t.rank))
	p.Offset = value.Binary("+", p.Offset, t.origin)
	p.Elem = t.dtype
	return p, ok
}

// globalSpot is the address of the element of a view at a coordinate.
func (m *machine) globalSpot(t *tensor, coord *value.Sequence) (value.Pointer, bool) {
	if t.block != nil || t.base == nil || t.steps == nil || !congruent(t.shape, coord) {
		return value.Pointer{}, false
	}
	at := t.index(coord)
	p, ok := m.globalStart(at)
	if !at.adrift && liesIn(t.shape, coord) {
		p.Cuts = at.cuts
	}
	return p, ok
}

// liesIn reports whether a coordinate is known to lie in a shape.
func liesIn(shape, coord value.Value) bool {
	if c, ok := coord.(*value.Sequence); ok {
		s, ok := shape.(*value.Sequence)
		return ok && slices.EqualFunc(s.Elems, c.Elems, liesIn)
	}
	n, ok := product(shape).(value.Int)
	switch c := coord.(type) {
	case value.Int:
		return ok && 0 <= c && c < n
	case value.Lanes:
		return ok && 0 <= slices.Min(c) && slices.Max(c) < int64(n)
	}
	return false
}

// congruent reports whether a coordinate has a part for each mode of a shape, or none for those within a mode.
func congruent(shape, coord value.Value) bool {
	c, ok := coord.(*value.Sequence)
	if !ok {
		return true
	}
	s, ok := shape.(*value.Sequence)
	if !ok {
		return len(c.Elems) == 1 && congruent(shape, c.Elems[0])
	}
	return slices.EqualFunc(s.Elems, c.Elems, congruent)
}

// touchesGlobal notes that each thread accesses all of a tensor that may be in global memory: v is what it stores.
func (m *machine) touchesGlobal(t *tensor, write bool, v value.Value, n program.Node) {
	if t == nil || m.host {
		return
	}
	p, ok := m.globalStart(t)
	if ok {
		starts, width, known := m.runs(t)
		for _, s := range starts {
			q, a := p, protocol.Access{Write: write}
			if q.Cuts = t.cuts; t.adrift {
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
