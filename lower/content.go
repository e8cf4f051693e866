package lower

import (
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Small register tensors keep their content: a tile's coordinates are collected in one before they are stored to shared
// memory, and a reader takes them apart again. The content is followed as long as the tensor is used by elements and
// whole; a view of it, or an instruction that writes it, ends that.

// maxRegisters is the largest register tensor whose content is followed.
const maxRegisters = 32

// registers is a fresh content for a register tensor of a shape; nil where it is not followed.
func registers(shape value) *sequence {
	n, ok := product(shape).(integer)
	if !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := &sequence{elems: make([]value, n)}
	for i := range out.elems {
		out.elems[i] = data{}
	}
	return out
}

// register is the number of an element of a register tensor.
func (m *machine) register(t *tensor, coord *sequence) (int, bool) {
	var c value = coord
	if len(coord.elems) == 1 {
		c = coord.elems[0]
	}
	i, ok := m.settle(offset(t.shape, (&layout{shape: t.shape}).strides(), c)).(integer)
	return int(i), ok && i >= 0 && int(i) < len(t.content.elems)
}

// escape stops following what a register tensor holds.
func (t *tensor) escape() {
	if t.content != nil {
		forgetContent(t.content, 0)
		t.content = nil
	}
}

// loseRegisters stops following the register tensors among values that something may write.
func loseRegisters(vs []value) {
	for _, v := range vs {
		switch v := v.(type) {
		case *tensor:
			v.escape()
		case *sequence:
			if len(v.elems) < 64 {
				loseRegisters(v.elems)
			}
		}
	}
}

// spot is the address of one element of a tensor in shared memory whose layout is known.
func (t *tensor) spot(coord value) (pointer, bool) {
	if t.block == nil || t.steps == nil || t.lost || t.split {
		return pointer{}, false
	}
	if c, ok := coord.(*sequence); ok && len(c.elems) == 1 {
		coord = c.elems[0]
	}
	unit := canonicalType(t.dtype)
	if t.block.unit == "" {
		t.block.unit, t.block.typed = unit, t.dtype
	}
	return pointer{block: t.block, offset: binary("+", t.origin, offset(t.shape, t.steps, coord)), cta: t.cta, elem: t.dtype}, t.block.unit == unit
}

// spots are the addresses of the elements of a small view in shared memory, in order.
func (t *tensor) spots() []pointer {
	n, ok := product(t.shape).(integer)
	if t.block == nil || !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := make([]pointer, n)
	for i := range out {
		if out[i], ok = t.spot(integer(i)); !ok {
			return nil
		}
	}
	return out
}

// carry copies between registers and shared memory element by element, where values are followed. It answers false,
// with nothing done, where they are not.
func (m *machine) carry(s, d *tensor, n program.Node) bool {
	switch {
	case s == nil || d == nil:
		return false
	case s.content != nil && d.content != nil:
		if len(s.content.elems) != len(d.content.elems) {
			return false
		}
		copy(d.content.elems, s.content.elems)
		return true
	case s.content != nil:
		to := d.spots()
		if len(to) != len(s.content.elems) {
			return false
		}
		for i, p := range to {
			m.post(p, s.content.elems[i], n)
		}
		if !m.in.carriers[d.block.name] {
			return false
		}
		for i, p := range to {
			m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(s.content.elems[i])}, 1, n)
		}
		return true
	case d.content != nil && s.block != nil:
		from := s.spots()
		if len(from) != len(d.content.elems) || !m.carries(s.block) {
			return false
		}
		for i, p := range from {
			m.access(p, 1, n)
			d.content.elems[i] = m.delivered(p, n)
		}
		return true
	}
	return false
}
