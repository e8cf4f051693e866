package lower

import (
	"fmt"
	"strconv"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// touch is the access of a view, or nothing where it cannot be told; then the block is no longer searched for races.
func (m *machine) touch(t *cute.Tensor, write bool, n program.Node, verb string) (protocol.Access, bool) {
	if t.Block == nil || !t.Block.Shared || t.Block.Mbarrier || m.host {
		return protocol.Access{}, false
	}
	if t.Block.InColumns() {
		m.in.untracked(value.TensorColumns, otherwise)
		return protocol.Access{}, false
	}
	if write {
		m.blurs(t.Block)
	}
	e, why := m.ranges(t)
	if why != "" {
		m.in.untracked(t.Block.Name, why)
		return protocol.Access{}, false
	}
	buf := m.buffer(value.Pointer{Block: t.Block, Cta: t.Cta}, n)
	what := t.Block.Name
	if s, ok := m.settle(t.Stage).(value.Int); ok && !cute.IsOne(t.Stages) && !t.Lost && !t.Adrift {
		what = "stage " + strconv.FormatInt(int64(s), 10) + " of " + what
	}
	if cta := m.in.buffers[buf].CTA; m.in.ctas > 1 && cta >= 0 {
		what += " of CTA " + strconv.Itoa(cta)
	}
	if !e.All {
		what = "part of " + what
	}
	a := protocol.Access{Buffer: buf, Write: write, Elements: e.Ranges, Parts: e.Division(t), Maybe: t.Maybe && !e.All, Site: m.site(n.Where(), "%s %s", verb, what)}
	m.in.reach(a)
	return a, true
}

// bytesIn is what a copy into a view brings. A multicast copy of several CTAs brings its share to each of them.
func (m *machine) bytesIn(t *cute.Tensor) int {
	span, ok := m.settle(t.Span).(value.Int)
	if t.Picked {
		span, ok = m.settle(cute.Product(t.Shape)).(value.Int)
	}
	bits := value.BitsOf(value.FirstOf(t.Dtype, value.Data{}))
	if t.Block == nil || t.Lost || t.Part || !ok || bits == 0 {
		return unknownBytes
	}
	if t.Stage == nil && !t.Picked {
		n, ok := m.settle(t.Stages).(value.Int)
		if !ok {
			return unknownBytes
		}
		span *= n
	}
	total := int64(span) * bits / max(1, t.Boxes)
	if total <= 0 || total%8 != 0 || total > 1<<31 {
		return unknownBytes
	}
	return int(total / 8)
}

// threadAccess records that the threads of the group read or write a view: a stores the value v, where it is known which.
func (m *machine) threadAccess(t *cute.Tensor, write bool, v value.Value, n program.Node) {
	verb, stored := "read", 0
	if write {
		verb, stored = "write", m.valueStored(v)
	}
	for _, a := range m.ownAccess(t, write, n, verb) {
		a.Stored = stored
		m.record(a, t.Block.Name)
	}
}

// ownAccess is what each thread of the group accesses of a view: elements that are known, its own part of a partition, or all.
func (m *machine) ownAccess(t *cute.Tensor, write bool, n program.Node, verb string) []protocol.Access {
	if m.host || t.Block == nil || !t.Block.Shared || t.Block.Mbarrier {
		return nil
	}
	m.operates(t.Block, n)
	if list, ok := m.exactAccess(t, write, n, verb); ok {
		return list
	}
	a, ok := m.touch(t, write, n, verb)
	if !ok {
		return nil
	}
	switch {
	case a.Parts == protocol.Somewhere:
		a.Maybe = m.sampling
		a.Share = m.shareOfView(t)
		return []protocol.Access{a}
	case t.Wide:
		a.Parts = protocol.ByWarps
	case t.Split:
		a.Parts = protocol.ByThread
	case t.Picked:
		a.Parts = protocol.Somewhere
	default:
		a.Parts = protocol.Whole
	}
	a.Share, a.Deal = m.shareOfView(t), t.Deal
	return []protocol.Access{a}
}

// exactAccess is ownAccess of a view whose elements are known.
func (m *machine) exactAccess(t *cute.Tensor, write bool, n program.Node, verb string) ([]protocol.Access, bool) {
	runs, ok := m.exact(t)
	if !ok {
		return nil, false
	}
	if write {
		m.blurs(t.Block)
	}
	buf := m.buffer(value.Pointer{Block: t.Block, Cta: t.Cta}, n)
	var out []protocol.Access
	for _, rs := range runs {
		if !memory.InBlock(t.Block, rs) {
			m.in.untracked(t.Block.Name, "an index outside the allocation")
			return nil, true
		}
		a := protocol.Access{Buffer: buf, Write: write, Elements: rs, Maybe: t.Maybe || m.sampling, Site: m.site(n.Where(), "%s %s", verb, m.in.bufferName(buf, rs))}
		m.in.reach(a)
		out = append(out, a)
	}
	return out, true
}

// mostAccesses between two synchronization operations are kept apart: each is compared with all that may happen at the same time.
const mostAccesses = 1024

// record adds an access between the last operation and the next.
func (m *machine) record(a protocol.Access, name string) {
	if m.sampling {
		m.met++
	}
	last := len(m.blocks) - 1
	first := m.behindFence() // what comes behind a fence is not the same as what comes before
	for i := len(m.blocks[last]) - 1; i >= first; i-- {
		b := &m.blocks[last][i]
		if a.Equal(*b) {
			return
		}
		if b.Pending && !a.Pending {
			break // what comes after the issue of a copy is not the same as what comes before
		}
	}
	if len(m.blocks[last]) >= mostAccesses {
		m.in.untracked(name, fmt.Sprintf("more than %d accesses between two synchronization operations", mostAccesses))
		return
	}
	m.blocks[last] = append(m.blocks[last], a)
}

// loseTensors stops tracking the shared tensors among values that a function without a model is given.
func (m *machine) loseTensors(vs []value.Value, why string) {
	for _, v := range vs {
		switch v := v.(type) {
		case *cute.Tensor:
			v.Escape()
			m.readsRegisters(v, m.at)
			if v.Block == nil && v.Root != "" {
				m.reachesAnything(v.Root, true, v.Root+" is "+why, nil)
			}
			if v.Block != nil && !v.Block.Mbarrier && !m.host {
				m.in.untracked(v.Block.Name, why)
			}
		case *value.Sequence:
			if len(v.Elems) < 64 {
				m.loseTensors(v.Elems, why)
			}
		}
	}
}
