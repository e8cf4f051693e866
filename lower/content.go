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

// Registers is a fresh content for a register tensor of a shape; nil where it is not followed.
func Registers(shape value.Value) *value.Sequence {
	n, ok := Product(shape).(value.Int)
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
func (m *machine) register(t *Tensor, coord *value.Sequence) (int, bool) {
	var c value.Value = coord
	if len(coord.Elems) == 1 {
		c = coord.Elems[0]
	}
	i, ok := m.settle(Offset(t.Shape, (&Layout{Shape: t.Shape}).Strides(), c)).(value.Int)
	return int(i), ok && i >= 0 && int(i) < len(t.Values.Elems)
}

// Escape stops following what a register tensor holds.
func (t *Tensor) Escape() {
	if t.Values != nil {
		value.ForgetContent(t.Values, 0)
		t.Values = nil
	}
}

// LoseRegisters stops following the register tensors among values that something may write.
func LoseRegisters(vs []value.Value) {
	for _, v := range vs {
		switch v := v.(type) {
		case *Tensor:
			v.Escape()
		case *value.Sequence:
			if len(v.Elems) < 64 {
				LoseRegisters(v.Elems)
			}
		}
	}
}

// Spot is the address of one element of a tensor in shared memory whose layout is known.
func (t *Tensor) Spot(coord value.Value) (value.Pointer, bool) {
	if t.Block == nil || t.Steps == nil || t.Lost || t.Split {
		return value.Pointer{}, false
	}
	if c, ok := coord.(*value.Sequence); ok && len(c.Elems) == 1 {
		coord = c.Elems[0]
	}
	unit := value.CanonicalType(t.Dtype)
	if t.Block.Unit == "" {
		t.Block.Unit, t.Block.Typed = unit, t.Dtype
	}
	return value.Pointer{Block: t.Block, Offset: value.Binary("+", t.Origin, Offset(t.Shape, t.Steps, coord)), Cta: t.Cta, Elem: t.Dtype}, t.Block.Unit == unit
}

// Spots are the addresses of the elements of a small view in shared memory, in order.
func (t *Tensor) Spots() []value.Pointer {
	n, ok := Product(t.Shape).(value.Int)
	if t.Block == nil || !ok || n < 1 || n > maxRegisters {
		return nil
	}
	out := make([]value.Pointer, n)
	for i := range out {
		if out[i], ok = t.Spot(value.Int(i)); !ok {
			return nil
		}
	}
	return out
}

// carry copies between registers and shared memory element by element, where values are followed. It answers false,
// with nothing done, where they are not.
func (m *machine) carry(s, d *Tensor, n program.Node) bool {
	switch {
	case s == nil || d == nil:
		return false
	case s.Values != nil && d.Values != nil:
		if len(s.Values.Elems) != len(d.Values.Elems) {
			return false
		}
		copy(d.Values.Elems, s.Values.Elems)
		return true
	case s.Values != nil:
		to := d.Spots()
		if len(to) != len(s.Values.Elems) {
			return false
		}
		for i, p := range to {
			m.post(p, s.Values.Elems[i], n)
		}
		if !m.in.carriers[d.Block.Name] {
			return false
		}
		for i, p := range to {
			m.accessing(p, protocol.Access{Write: true, Stored: m.valueStored(s.Values.Elems[i])}, 1, n)
		}
		return true
	case d.Values != nil && s.Block != nil:
		from := s.Spots()
		if len(from) != len(d.Values.Elems) || !m.carries(s.Block) {
			return false
		}
		for i, p := range from {
			m.access(p, 1, n)
			d.Values.Elems[i] = m.delivered(p, n)
		}
		return true
	}
	return false
}
