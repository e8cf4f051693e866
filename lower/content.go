package lower

import (
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Small register tensors keep their content: a tile's coordinates are collected in one before they are stored to shared
// memory, and a reader takes them apart again. The content is followed as long as the tensor is used by elements and
// whole; a view of it, or an instruction that writes it, ends that.

// maxRegisters is the largest register tensor whose content is followed.
const maxRegisters = 32

// registers is a fresh content for a register tensor of a shape; nil where it is not followed.
func registers(shape value.Value) *value.Sequence {
	n, ok := product(shape).(value.Int)
	if !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := &value.Sequence{Elems: make([]value.Value, n)}
	for i := range out.Elems {
		out.Elems[i] = value.Data{}
	}
	return out
}

// register is the number of an element of a register tensor.
func (m *machine) register(t *tensor, coord *value.Sequence) (int, bool) {
	var c value.Value = coord
	if len(coord.Elems) == 1 {
		c = coord.Elems[0]
	}
	i, ok := m.settle(offset(t.shape, (&layout{shape: t.shape}).strides(), c)).(value.Int)
	return int(i), ok && i >= 0 && int(i) < len(t.content.Elems)
}

// escape stops following what a register tensor holds.
func (t *tensor) escape() {
	if t.content != nil {
		value.ForgetContent(t.content, 0)
		t.content = nil
	}
}

// loseRegisters stops following the register tensors among values that something may write.
func loseRegisters(vs []value.Value) {
	for _, v := range vs {
		switch v := v.(type) {
		case *tensor:
			v.escape()
		case *value.Sequence:
			if len(v.Elems) < 64 {
				loseRegisters(v.Elems)
			}
		}
	}
}

// spot is the address of one element of a tensor in shared memory whose layout is known.
func (t *tensor) spot(coord value.Value) (value.Pointer, bool) {
	if t.block == nil || t.steps == nil || t.lost || t.split {
		return value.Pointer{}, false
	}
	if c, ok := coord.(*value.Sequence); ok && len(c.Elems) == 1 {
		coord = c.Elems[0]
	}
	unit := value.CanonicalType(t.dtype)
	if t.block.Unit == "" {
		t.block.Unit, t.block.Typed = unit, t.dtype
	}
	return value.Pointer{Block: t.block, Offset: value.Binary("+", t.origin, offset(t.shape, t.steps, coord)), Cta: t.cta, Elem: t.dtype}, t.block.Unit == unit
}

// spots are the addresses of the elements of a small view in shared memory, in order.
func (t *tensor) spots() []value.Pointer {
	n, ok := product(t.shape).(value.Int)
	if t.block == nil || !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := make([]value.Pointer, n)
	for i := range out {
		if out[i], ok = t.spot(value.Int(i)); !ok {
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
		if len(s.content.Elems) != len(d.content.Elems) {
			return false
		}
		copy(d.content.Elems, s.content.Elems)
		return true
	case s.content != nil:
		to := d.spots()
		if len(to) != len(s.content.Elems) {
			return false
		}
		for i, p := range to {
			m.post(p, s.content.Elems[i], n)
		}
		if !m.in.carriers[d.block.Name] {
			return false
		}
		for i, p := range to {
			m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(s.content.Elems[i])}, 1, n)
		}
		return true
	case d.content != nil && s.block != nil:
		from := s.spots()
		if len(from) != len(d.content.Elems) || !m.carries(s.block) {
			return false
		}
		for i, p := range from {
			m.access(p, 1, n)
			d.content.Elems[i] = m.delivered(p, n)
		}
		return true
	}
	return false
}
