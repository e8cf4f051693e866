package lower

import (
	"strconv"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// touch is the access of a view, or nothing where it cannot be told; then the block is no longer searched for races.
func (m *machine) touch(t *tensor, write bool, n program.Node, verb string) (protocol.Access, bool) {
	if t.block == nil || !t.block.shared || t.block.mbarrier || m.host {
		return protocol.Access{}, false
	}
	if write {
		m.in.vague[t.block.name] = true
	}
	e, why := m.ranges(t)
	if why == "" && t.maybe && !e.all {
		why = "used under a predicate by parts whose place is not known"
	}
	if why != "" {
		m.in.untracked(t.block.name, why)
		return protocol.Access{}, false
	}
	buf, ok := m.buffer(pointer{block: t.block, cta: t.cta}, n)
	if !ok {
		return protocol.Access{}, false
	}
	what := t.block.name
	if s, ok := m.settle(t.stage).(integer); ok && !one(t.stages) && !t.lost && !t.adrift {
		what = "stage " + strconv.FormatInt(int64(s), 10) + " of " + what
	}
	if cta := m.in.buffers[buf].CTA; m.in.ctas > 1 && cta >= 0 {
		what += " of CTA " + strconv.Itoa(cta)
	}
	if !e.all {
		what = "part of " + what
	}
	a := protocol.Access{Buffer: buf, Write: write, Elements: e.ranges, Parts: t.division(e), Site: m.site(n.Where(), "%s %s", verb, what)}
	m.in.reach(a)
	return a, true
}

// bytesIn is what a copy into a view brings. A multicast copy of several CTAs brings its share to each of them.
func (m *machine) bytesIn(t *tensor) int {
	span, ok := m.settle(t.span).(integer)
	if t.picked {
		span, ok = m.settle(product(t.shape)).(integer)
	}
	bits := bitsOf(firstOf(t.dtype, data{}))
	if t.block == nil || t.lost || t.part || !ok || bits == 0 {
		return unknownBytes
	}
	if t.stage == nil && !t.picked {
		n, ok := m.settle(t.stages).(integer)
		if !ok {
			return unknownBytes
		}
		span *= n
	}
	total := int64(span) * bits / max(1, t.boxes)
	if total <= 0 || total%8 != 0 || total > 1<<31 {
		return unknownBytes
	}
	return int(total / 8)
}

// threadAccess records that the threads of the group read or write a view, each its own part.
func (m *machine) threadAccess(t *tensor, write bool, n program.Node) {
	verb := "read"
	if write {
		verb = "write"
	}
	for _, a := range m.ownAccess(t, write, n, verb) {
		m.record(a, t.block.name)
	}
}

// ownAccess is the access of a view of which each thread of the group has its own part.
func (m *machine) ownAccess(t *tensor, write bool, n program.Node, verb string) []protocol.Access {
	a, ok := m.touch(t, write, n, verb)
	if !ok {
		return nil
	}
	switch {
	case a.Parts == protocol.Somewhere:
		return []protocol.Access{a}
	case t.wide:
		a.Parts = protocol.ByWarps
	default:
		a.Parts = protocol.ByThread
	}
	a.Share, a.Deal = t.share, t.deal
	return []protocol.Access{a}
}

// record adds an access between the last operation and the next.
func (m *machine) record(a protocol.Access, name string) {
	if m.sampling {
		m.met++
	}
	last := len(m.blocks) - 1
	first := 0
	if k := len(m.fenced); k > 0 && m.fenced[k-1].at == last {
		first = m.fenced[k-1].behind // what comes behind a fence is not the same as what comes before
	}
	for i := len(m.blocks[last]) - 1; i >= first; i-- {
		b := &m.blocks[last][i]
		if a.Equal(*b) {
			return
		}
		if b.Pending && !a.Pending {
			break // what comes after the issue of a copy is not the same as what comes before
		}
	}
	if len(m.blocks[last]) >= 256 {
		m.in.untracked(name, "more than 256 accesses between two synchronization operations")
		return
	}
	m.blocks[last] = append(m.blocks[last], a)
}

// loseTensors stops tracking the shared tensors among values that a function without a model is given.
func (m *machine) loseTensors(vs []value, why string) {
	for _, v := range vs {
		switch v := v.(type) {
		case *tensor:
			v.escape()
			if v.block == nil && v.root != "" {
				m.reachesAnything(v.root, true, v.root+" is "+why, nil)
			}
			if v.block != nil && !v.block.mbarrier && !m.host {
				m.in.untracked(v.block.name, why)
			}
		case *sequence:
			if len(v.elems) < 64 {
				m.loseTensors(v.elems, why)
			}
		}
	}
}
