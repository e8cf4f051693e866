package order

import (
	"math/bits"
	"slices"
)

// Asynchronous operations complete at once where they are issued. That is one of the executions; that the others are like
// it is what C0 to C4 say. What an operation accesses is in the way of others until they know that it is done: by a phase that
// its completion contributes to, or by a wait of its own lane for its group.

// issue starts an operation for each lane and completes it.
func (r *run) issue(s *strand, c *Command, pos int32) {
	op := &r.p.Warps[s.warp].copies[c.C]
	lanes := bits.OnesCount32(c.Mask & s.lanes)
	var refs []phaseRef
	for _, e := range op.Effects {
		if e.Bytes == 0 && e.Arrivals == 0 {
			continue // changes nothing, so it is credited to no phase
		}
		b := r.objects[e.Mbar]
		if !r.usable(b, s, pos) {
			return
		}
		refs = append(refs, phaseRef{b.dim, b.phase})
	}
	r.cells.copy(s, c, pos, op, refs)
	for _, e := range op.Effects {
		if e.Bytes == 0 && e.Arrivals == 0 {
			continue
		}
		b := r.objects[e.Mbar]
		r.credit(b, s, pos, contribution{s: s, pos: pos, refs: refs}, e.Arrivals > 0)
		r.count(b, s, pos, lanes, int64(e.Arrivals), -int64(e.Bytes), true)
		if r.stopped {
			return
		}
	}
}

// arriveWhenDone is an arrival that comes when the operations before it are done. Where its arrival is not in the count of the
// object, it makes one more pending first, which must be in time like an expect.
func (r *run) arriveWhenDone(s *strand, c *Command, pos int32) {
	b := r.objects[c.A]
	if !r.usable(b, s, pos) {
		return
	}
	lanes := bits.OnesCount32(c.Mask & s.lanes)
	refs := []phaseRef{{b.dim, b.phase}}
	r.credit(b, s, pos, contribution{s: s, pos: pos, refs: refs}, c.Flags&Included != 0)
	for _, dim := range [2]int32{s.doneDim[c.C], s.doneDim[c.C+uint32(units)]} {
		if dim > 0 {
			b.gathering.at[dim] = max(b.gathering.at[dim], pos)
			b.gathering.at[r.behind+int(dim)] = b.gathering.at[dim]
		}
	}
	if c.Flags&Included == 0 {
		b.expects = append(b.expects, registration{s, pos})
		return
	}
	r.count(b, s, pos, lanes, 1, 0, true)
}

// waitGroup waits until no more than some of the latest groups of the lane are not done.
func (r *run) waitGroup(s *strand, c *Command) {
	u := c.C
	groups := s.groups[u]
	n := len(groups) - int(c.B)
	if n <= 0 {
		return
	}
	last := groups[n-1]
	reads := u + uint32(units)
	s.done[reads] = max(s.done[reads], last)
	if c.Flags&ReadsDone != 0 {
		return
	}
	s.done[u] = max(s.done[u], last)
	s.groups[u] = slices.Delete(groups, 0, n)
}
