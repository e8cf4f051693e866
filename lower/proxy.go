package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/build"
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Threads write shared memory through the generic proxy, TMA reads it through the async proxy: between the two each writer
// has to execute fence.proxy.async, and a barrier alone is not enough (PTX ISA 9.7.15.4). A fence by the thread
// that issues the copy is accepted too, as in the pattern rule.

// unfencedStores notes the bulk copies of what threads wrote without a proxy fence from then on.
func (w *sweep) unfencedStores(in *instance, groups []*machine) {
	for _, m := range groups {
		for at, op := range m.ops {
			if !op.Grouped() || m.fencedBefore(in, at, true) {
				continue
			}
			for _, read := range op.Access {
				if b := in.buffers[read.Buffer]; read.Write || in.lost[b.Name] != "" {
					continue
				}
				for _, g := range groups {
					if g.cta == m.cta && g.handsUnfenced(in, read, m, at) {
						w.k.undefined(Undefined{Rule: NoProxy, Whole: true, Site: in.sites[op.Site], With: g.writesOf(in, read), What: fmt.Sprintf(
							"bulk store reads %q after ordinary writes to it; expected fence.proxy.async between", in.buffers[read.Buffer].Name)})
						break
					}
				}
			}
		}
	}
}

// unfencedOperands notes the multiplications that read what threads alone wrote, of which none executes a proxy fence behind its write, nor does
// the issuer. What copies fill, too, may have been written when all multiplications were over.
func (w *sweep) unfencedOperands(in *instance, groups []*machine) {
	filled := map[int]bool{}
	for _, m := range groups {
		for _, op := range m.ops {
			for _, a := range op.Access {
				filled[a.Buffer] = filled[a.Buffer] || a.Write
			}
		}
	}
	for _, m := range groups {
		for i := range m.ops {
			op := &m.ops[i]
			if !memory.Commits(op, nil) || len(m.fences) > 0 {
				continue
			}
			for _, read := range op.Access {
				b := in.buffers[read.Buffer]
				if read.Write || filled[read.Buffer] || in.isColumns(read.Buffer) || in.lost[b.Name] != "" {
					continue
				}
				for _, g := range groups {
					at, wrote := g.plainWrite(read.Buffer)
					if g != m && g.cta == m.cta && len(g.fences) == 0 && wrote {
						written := in.sites[at]
						written.Text = "written here through the generic proxy"
						w.k.undefined(Undefined{Rule: NoProxy, Whole: true, Site: in.sites[read.Site], With: []protocol.Site{written}, What: fmt.Sprintf(
							"multiplication reads %q after ordinary writes to it; expected fence.proxy.async between", b.Name)})
						break
					}
				}
			}
		}
	}
}

// plainWrite is where the threads of the group write a buffer themselves.
func (m *machine) plainWrite(buffer int) (site int, ok bool) {
	for _, block := range m.blocks {
		for _, a := range block {
			if a.Write && !a.Async && a.Buffer == buffer {
				return a.Site, true
			}
		}
	}
	return 0, false
}

// fencedBefore reports whether the group executes a proxy fence between the last time it may have waited, for the lanes of its warp or
// for others only, and an operation.
func (m *machine) fencedBefore(in *instance, at int, lanes bool) bool {
	from := at
	for from > 0 && m.ops[from-1].Kind != protocol.Wait && (m.ops[from-1].Kind != protocol.NamedSync || !lanes && in.nameds[m.ops[from-1].Object].ID >= protocol.WarpBarrier) {
		from--
	}
	return slices.ContainsFunc(m.fences, func(f int) bool { return from <= f && f <= at })
}

// handsUnfenced reports whether the group writes what another one copies by its operation at, or it itself, and executes no proxy fence from there until the last barrier by which the issuer knows
// of it; or none at all from then on, and meets other threads after: these may take what it wrote for finished.
func (m *machine) handsUnfenced(in *instance, read protocol.Access, by *machine, at int) bool {
	met := at
	if by != m {
		if by.fencedBefore(in, at, false) { // behind all that it has been told of; what it has not is written later, or a race
			return false
		}
		met = m.lastMeeting(in, by, at)
	}
	for l := range m.blocks {
		for i, a := range m.blocks[l] {
			if !wrote(a, read) || m.fromBefore(l, i, in) {
				continue
			}
			told := by == m || slices.ContainsFunc(m.ops[l:], func(o protocol.Op) bool {
				return o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive || o.Kind == protocol.Arrive
			})
			if l <= met && !m.mayFence(l, i, met) || told && !m.mayFence(l, i, len(m.ops)) {
				return true
			}
		}
	}
	return false
}

// mayFence reports whether the group may execute a proxy fence behind an access, the i-th between two operations, up to another operation.
func (m *machine) mayFence(l, i, end int) bool {
	n := 0
	for _, f := range m.fences {
		if l < f && f <= end {
			return true
		}
		if f == l {
			n++
		}
	}
	for _, f := range m.fenced {
		if f.at == l && f.behind <= i { // it stands ahead of the access
			n--
		}
	}
	return n > 0
}

// lastMeeting is the last operation of the group by which it meets another one at a barrier of both before that comes to its operation at: the barriers of one object are met in turn. It is -1 where
// there is none.
func (m *machine) lastMeeting(in *instance, by *machine, at int) int {
	turns := map[int]int{}
	for _, o := range by.ops[:at] {
		if o.Kind == protocol.NamedSync && in.nameds[o.Object].ID < protocol.WarpBarrier {
			turns[o.Object]++
		}
	}
	last := -1
	for k, o := range m.ops {
		if o.Kind == protocol.NamedSync && turns[o.Object] > 0 {
			turns[o.Object]--
			last = k
		}
	}
	return last
}

// fromBefore reports whether an access at a place goes on from before it, as it may where only the lanes of a warp met.
func (m *machine) fromBefore(l, i int, in *instance) bool {
	return l > 0 && m.ops[l-1].Kind == protocol.NamedSync && in.nameds[m.ops[l-1].Object].ID >= protocol.WarpBarrier &&
		(i < build.Carried(m.blocks, l) || slices.ContainsFunc(m.blocks[l-1], m.blocks[l][i].Equal))
}

func wrote(a, read protocol.Access) bool {
	if !a.Write || a.Async || a.Buffer != read.Buffer {
		return false
	}
	if a.Parts == protocol.Somewhere { // what reads all of it reads what was written
		return read.Parts == protocol.OneCopy && memory.Inside(a.Elements, read.Elements)
	}
	return read.Parts != protocol.Somewhere && protocol.Overlap(a.Elements, read.Elements)
}

// writesOf is where the group writes what a copy reads, and where its threads meet others after that.
func (m *machine) writesOf(in *instance, read protocol.Access) []protocol.Site {
	for l, block := range m.blocks {
		i := slices.IndexFunc(block, func(a protocol.Access) bool { return wrote(a, read) })
		if i < 0 {
			continue
		}
		written := in.sites[block[i].Site]
		written.Text = "written here through the generic proxy"
		out := []protocol.Site{written}
		for _, o := range m.ops[l:] {
			if o.Kind == protocol.NamedSync && in.nameds[o.Object].ID < protocol.WarpBarrier {
				met := in.sites[o.Site]
				met.Text = "expected the fence before the threads meet here"
				return append(out, met)
			}
		}
		return out
	}
	return nil
}
