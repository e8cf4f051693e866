package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A copy that completes in a group is its thread's own: cp.async.wait_group and cp.async.bulk.wait_group wait for groups of
// the executing thread, and make their writes visible to it alone (PTX ISA 9.7.9.25.1.1). Where one thread
// issues a bulk copy, Issue and Drain say that. Of copies that each thread of a group issues, each for itself, all that an
// execution can show is when they may touch memory: from the issue to the wait, wherever the thread is in between. So they
// are accesses of every block from the one to the other, and what other threads may do follows from the barriers around.

// flight is a copy that a wait for groups completes.
type flight struct {
	at      int               // location of its Issue, -1 where it is accesses of blocks
	pending []protocol.Access // these accesses
	handed  bool              // an arrival on an mbarrier says when it is done
}

// goOn keeps what goes on in the accesses after the operation just emitted: asynchronous reads that are not waited for, and
// pending copies.
func (m *machine) goOn() {
	last := len(m.blocks) - 1
	m.blocks[last] = append(m.blocks[last], m.reading...)
	for _, g := range m.multiplied {
		m.blocks[last] = append(m.blocks[last], g...)
	}
	for _, a := range m.storing {
		m.columnsBy(a)
	}
	for _, l := range m.loadings {
		m.columnsBy(l.Access)
	}
	for f := range m.inFlight {
		for _, a := range f.pending {
			if !f.handed && !slices.ContainsFunc(m.blocks[last], a.Equal) {
				m.blocks[last] = append(m.blocks[last], a)
			}
		}
	}
}

// inFlight are all copies of the group that no wait has covered.
func (m *machine) inFlight(yield func(*flight) bool) {
	for _, groups := range [][][]flight{{m.bulk, m.cpAsync}, m.groups, m.cpGroup} {
		for _, g := range groups {
			for i := range g {
				if !yield(&g[i]) {
					return
				}
			}
		}
	}
}

// fly issues a copy that a wait for groups completes, and adds it to the group being collected.
func (m *machine) fly(acc []protocol.Access, group []flight, n program.Node, bulk bool) []flight {
	if len(acc) == 0 {
		return group
	}
	if bulk && len(m.threads) == 1 {
		m.emit(protocol.Op{Kind: protocol.Issue, Access: acc, Site: m.site(n.Where(), "asynchronous copy")}, n)
		return append(group[:len(group):len(group)], flight{at: len(m.ops) - 1})
	}
	pending := slices.Clone(acc)
	for i := range pending {
		pending[i].Async, pending[i].Pending = true, true
		m.record(pending[i], m.in.buffers[pending[i].Buffer].Name)
	}
	return append(group[:len(group):len(group)], flight{at: -1, pending: pending})
}

// group closes the group being collected, which may be empty.
func (m *machine) group(groups [][]flight, group []flight) [][]flight {
	m.sureGroups(append(groups[:len(groups):len(groups)], group))
	return append(groups[:len(groups):len(groups)], group)
}

// sureGroups gives the pending copies of groups up where a group is closed or waited for that may not be: which are the newest
// is not known then.
func (m *machine) sureGroups(groups [][]flight) {
	if !m.sampling {
		return
	}
	for _, g := range groups {
		for _, f := range g {
			for _, a := range f.pending {
				m.in.untracked(m.in.buffers[a.Buffer].Name, "copied in groups that are counted under a condition or in a loop that is only known when the kernel runs")
			}
		}
	}
}

// drain records a wait_group: all but the newest count groups must be complete.
func (m *machine) drain(o operands, list *[][]flight) {
	groups := *list
	m.sureGroups(groups)
	rest := newest(groups, o.left())
	*list = rest
	m.in.flights = max(m.in.flights, int64(len(groups)))
	site := m.site(o.node.Where(), "wait for copies")
	var locs []int
	landed := false
	for _, g := range groups[:len(groups)-len(rest)] {
		for _, f := range g {
			if f.at >= 0 {
				locs = append(locs, f.at)
			}
			for _, a := range f.pending {
				if f.handed {
					m.in.untracked(m.in.buffers[a.Buffer].Name, "copied by copies that a wait for groups and an mbarrier complete")
				}
				landed = true
			}
		}
	}
	if landed && !m.sampling || len(locs) > 0 { // with pending copies the operation does no more than end the block
		m.emit(protocol.Op{Kind: protocol.Drain, Drains: locs, Site: site}, o.node)
	}
}

// hand gives what the copies so far access to an arrival that is made when they are complete.
func (m *machine) hand() []protocol.Access {
	var out []protocol.Access
	over := func(list []flight) []flight {
		list = slices.Clone(list)
		for i := range list {
			for _, a := range list[i].pending {
				if a.Async, a.Pending = false, false; !list[i].handed && !slices.ContainsFunc(out, a.Equal) {
					out = append(out, a)
				}
			}
			list[i].handed = true
		}
		return list
	}
	m.cpAsync, m.cpGroup = over(m.cpAsync), slices.Clone(m.cpGroup)
	for i := range m.cpGroup {
		m.cpGroup[i] = over(m.cpGroup[i])
	}
	return out
}

// left is how many groups a wait_group leaves in flight.
func (o operands) left() int {
	return int(o.m.count(o.or("count", value.Int(0)), o.node, "the number of groups left in flight"))
}

// newest are the groups that a wait for all but some leaves in flight.
func newest[T any](groups [][]T, keep int) [][]T {
	if keep < 0 || keep >= len(groups) {
		return groups
	}
	return groups[len(groups)-keep:]
}
