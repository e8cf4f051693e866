package lower

import (
	"slices"

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
func viewOf(sym symbol, rank int) *tensor {
	t := &tensor{name: canonical(sym), shape: shapeOf(sym), outer: -1, root: canonical(sym)}
	if rank == 0 {
		return t
	}
	t.shape = &sequence{elems: partsOf(t.shape, rank)}
	if rank <= maxPitched {
		steps := make([]value, rank)
		step := int64(1)
		for i := range slices.Backward(steps) {
			steps[i] = integer(step)
			step *= rowPitch
		}
		t.base, t.rank, t.origin, t.steps = sym.expr, rank, integer(0), &sequence{elems: steps}
	}
	return t
}

// laid says of a tensor that it is a layout over the global memory at an address.
func (m *machine) laid(t *tensor, address symbol, over value) {
	t.root = canonical(address)
	if p, ok := m.globalElement(address, nil); ok {
		t.root = p.block.name
		by, _, known := m.places(p.offset)
		t.adrift = !known || len(by) > 0 // coordinates of it are other elements for each CTA
	}
	t.dividedBy(canonical(address), over)
	l, ok := over.(*layout)
	if !ok {
		return
	}
	if _, unknown := l.stride.(data); !unknown {
		t.base, t.origin, t.steps = address.expr, integer(0), l.strides()
	}
}

// inputView is a view of a parameter at a coordinate with None.
func (m *machine) inputView(sym symbol, coord *sequence) *tensor {
	t := viewOf(sym, len(coord.elems))
	t.input = true
	return t.index(coord)
}

// shifted is cute.domain_offset(coord, tensor): the same memory from a coordinate on.
func shifted(of, coord value) (value, bool) {
	t, ok := of.(*tensor)
	if sym, is := of.(symbol); is {
		rank := 1
		switch c := coord.(type) {
		case *sequence:
			rank = len(c.elems)
		case symbol, data: // a tuple or a number
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
	case integer, lanes:
		out.steps, out.origin, out.adrift = t.steps, binary("+", t.origin, by), t.adrift || t.block == nil
	default:
		if t.block == nil {
			out.steps, out.origin = t.steps, binary("+", t.origin, by)
		}
	}
	return out, true
}

// globalStart is the address in global memory where a view starts whose places are known.
func (m *machine) globalStart(t *tensor) (pointer, bool) {
	if t.block != nil || t.base == nil || t.steps == nil || t.split || t.local {
		return pointer{}, false
	}
	p, ok := m.globalElement(symbol{t.base}, slices.Repeat([]value{integer(0)}, t.rank))
	p.offset = binary("+", p.offset, t.origin)
	p.elem = t.dtype
	return p, ok
}

// globalSpot is the address of the element of a view at a coordinate.
func (m *machine) globalSpot(t *tensor, coord *sequence) (pointer, bool) {
	if t.block != nil || t.base == nil || t.steps == nil || !congruent(t.shape, coord) {
		return pointer{}, false
	}
	at := t.index(coord)
	p, ok := m.globalStart(at)
	if !at.adrift && liesIn(t.shape, coord) {
		p.cuts = at.cuts
	}
	return p, ok
}

// liesIn reports whether a coordinate is known to lie in a shape.
func liesIn(shape, coord value) bool {
	if c, ok := coord.(*sequence); ok {
		s, ok := shape.(*sequence)
		return ok && slices.EqualFunc(s.elems, c.elems, liesIn)
	}
	n, ok := product(shape).(integer)
	switch c := coord.(type) {
	case integer:
		return ok && 0 <= c && c < n
	case lanes:
		return ok && 0 <= slices.Min(c) && slices.Max(c) < int64(n)
	}
	return false
}

// congruent reports whether a coordinate has a part for each mode of a shape, or none for those within a mode.
func congruent(shape, coord value) bool {
	c, ok := coord.(*sequence)
	if !ok {
		return true
	}
	s, ok := shape.(*sequence)
	if !ok {
		return len(c.elems) == 1 && congruent(shape, c.elems[0])
	}
	return slices.EqualFunc(s.elems, c.elems, congruent)
}

// touchesGlobal notes that each thread accesses all of a tensor that may be in global memory: v is what it stores.
func (m *machine) touchesGlobal(t *tensor, write bool, v value, n program.Node) {
	if t == nil || m.host {
		return
	}
	p, ok := m.globalStart(t)
	if ok {
		starts, width, known := m.runs(t)
		for _, s := range starts {
			q, a := p, protocol.Access{Write: write}
			if q.cuts = t.cuts; t.adrift {
				q.cuts = nil
			}
			q.offset = binary("+", p.offset, integer(s))
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
