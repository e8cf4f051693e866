package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// tcgen05.ld and tcgen05.st go on after their instruction until the warp that executed them has executed tcgen05.wait::ld
// or tcgen05.wait::st (PTX ISA 9.7.16.6 and 9.7.16.8). The DSL waits by itself for what was loaded before its registers are
// read at the latest, as PTX demands of a program.

// loading is a tcgen05.ld that nothing has waited for.
type loading struct {
	protocol.Access
	into []*cute.RegisterFile
	at   int // operations before it
}

// transfer is a copy between tensor memory and registers.
func (m *machine) transfer(atom value.Value, s, d *cute.Tensor, dst value.Value, n program.Node) {
	m.usesTensorMemory(m.cta, n)
	o, known := atom.(*value.Object)
	all := known && o.Fields["tiler_mn"] != nil
	switch {
	case s != nil && s.Block.InColumns():
		m.loads(m.warpColumns(s, false, all, n, "read"), cute.RegistersIn(dst, nil))
	case d != nil && d.Block.InColumns():
		m.stores(m.warpColumns(d, true, all, n, "write"))
	default:
		m.blindlyUses(n)
	}
}

// transferAt is a copy between registers and an address in tensor memory. Which registers it fills is not followed.
func (m *machine) transferAt(o operands) {
	m.usesTensorMemory(m.cta, o.node)
	if !o.op.Has("ptr") {
		m.blindlyUses(o.node)
		return
	}
	n, known := int64(0), false
	if times, ok := m.settle(value.Whole(o.or("count", value.Int(1)))).(value.Int); ok {
		n, known = memory.Transferred(o.or("shape", value.None{}), int64(times))
	}
	r, exact := m.columnsBehind(o.value("ptr"), n)
	if o.op.Kind == dialect.TmemStore {
		m.stores(m.warpRange(r, false, true, o.node, "write"))
	} else {
		m.loads(m.warpRange(r, known && exact, false, o.node, "read"), nil)
	}
}

// loads records what a tcgen05.ld reads, until it is waited for.
func (m *machine) loads(a protocol.Access, into []*cute.RegisterFile) {
	a.Async, a.Pending, a.Maybe = true, true, a.Maybe || len(into) == 0
	m.loadings = append(m.loadings, loading{a, into, len(m.ops)})
	m.columnsBy(a)
}

// stores records what a tcgen05.st writes, until it is waited for.
func (m *machine) stores(a protocol.Access) {
	a.Async, a.Pending = true, true
	m.storing = with(m.storing, a)
	m.columnsBy(a)
}

// columnsBy records an access of the warp, which its first lane makes.
func (m *machine) columnsBy(a protocol.Access) {
	if slices.ContainsFunc(a.Elements, func(r protocol.Range) bool { return r.Lo < r.Hi }) {
		m.record(a, value.TensorColumns)
	}
}

// readsRegisters notes that registers are read: the loads that fill them are over then, and with them those before.
func (m *machine) readsRegisters(v value.Value, n program.Node) {
	if len(m.loadings) == 0 {
		return
	}
	for _, r := range cute.RegistersIn(v, nil) {
		if slices.ContainsFunc(m.loadings, func(l loading) bool { return slices.Contains(l.into, r) }) {
			m.unsure()
			m.awaitLoads(n)
			return
		}
	}
}

// outstanding counts the loads and stores that were not waited for when evaluation began of what may or may not happen: a
// wait among it is none for these.
type outstanding struct{ loads, stores int }

// awaitLoads is tcgen05.wait::ld.
func (m *machine) awaitLoads(n program.Node) {
	if m.sampling {
		n := min(m.pending.loads, len(m.loadings))
		for _, l := range m.loadings[n:] {
			m.over(l.Access)
		}
		m.loadings = m.loadings[:n:n]
	} else if len(m.loadings) > 0 {
		m.loadings = nil
		m.emit(protocol.Op{Kind: protocol.Drain, Site: m.site(n.Where(), "wait for loads from tensor memory")}, n)
	}
}

// awaitStores is tcgen05.wait::st.
func (m *machine) awaitStores(n program.Node) {
	if m.sampling {
		n := min(m.pending.stores, len(m.storing))
		for _, a := range m.storing[n:] {
			m.over(a)
		}
		m.storing = m.storing[:n]
	} else if len(m.storing) > 0 {
		m.storing = nil
		m.emit(protocol.Op{Kind: protocol.Drain, Site: m.site(n.Where(), "wait for stores to tensor memory")}, n)
	}
}

// unsure notes that registers are read that loads fill, or the program ends, and no wait for these is in it: that the DSL waits before
// they are read is known, and whether it does so earlier, ahead of what the warp has told others since, is not.
func (m *machine) unsure() {
	if m.sampling {
		return
	}
	for _, l := range m.loadings {
		for at := l.at + 1; at < len(m.blocks); at++ {
			if l.Maybe || !slices.ContainsFunc(m.blocks[at], l.Equal) {
				continue
			}
			m.blocks[at] = slices.Clone(m.blocks[at])
			for i := range m.blocks[at] {
				if b := &m.blocks[at][i]; l.Equal(*b) {
					b.Maybe = true
				}
			}
		}
	}
}

// over notes that an access of what may or may not happen has been waited for: in the running block, which no operation ends
// there, it is one of the thread like others.
func (m *machine) over(a protocol.Access) {
	last := len(m.blocks) - 1
	m.blocks[last] = slices.Clone(m.blocks[last])
	for i := range m.blocks[last] {
		if b := &m.blocks[last][i]; a.Equal(*b) {
			b.Async, b.Pending = false, false
			if b.Write {
				b.Stored = protocol.Distinct
			}
		}
	}
}

// readColumns is a read of a view by the warp that is over at once.
func (m *machine) readColumns(v value.Value, n program.Node) {
	m.usesTensorMemory(m.cta, n)
	t, ok := v.(*cute.Tensor)
	if !ok || !t.Block.InColumns() {
		m.blindlyUses(n)
		return
	}
	if !m.host {
		m.converge(n)
		m.columnsBy(m.warpColumns(t, false, true, n, "read"))
	}
}

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
