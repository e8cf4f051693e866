package lower

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Small register tensors keep their content: a tile's coordinates are collected in one before they are stored to shared
// memory, and a reader takes them apart again. The content is followed as long as the tensor is used by elements and
// whole; a view of it, or an instruction that writes it, ends that.

// register is the number of an element of a register tensor.
func (m *machine) register(t *cute.Tensor, coord *value.Sequence) (int, bool) {
	var c value.Value = coord
	if len(coord.Elems) == 1 {
		c = coord.Elems[0]
	}
	i, ok := m.settle(cute.Offset(t.Shape, (&cute.Layout{Shape: t.Shape}).Strides(), c)).(value.Int)
	return int(i), ok && i >= 0 && int(i) < len(t.Values.Elems)
}

// carry copies between registers and shared memory element by element, where values are followed. It answers false,
// with nothing done, where they are not.
func (m *machine) carry(s, d *cute.Tensor, n program.Node) bool {
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
