package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What threads write to shared memory goes through the generic proxy; bulk copies, wgmma and tcgen05 go through the
// async proxy. Between the two a fence.proxy.async has to stand on the way from the one to the other (PTX ISA 9.7.15.4,
// 9.7.15.7.1, 9.7.16.6.5): in each writer behind its write and ahead of what tells others of it, or in the thread that
// issues the asynchronous operation, behind what it was told by. Where one of the two shows for every such write the
// property proxy is held, else it is open. What asynchronous operations wrote, and what threads read before, is not asked
// of: completion makes the former visible (9.7.9.25.2), and the latter is FP204's.

// fencing is a proxy fence of a group that it surely executes: after so many operations, and accesses after the last of them.
type fencing struct{ at, behind int }

// behindFence is the number of accesses since the last operation that a proxy fence stands behind.
func (m *machine) behindFence() int {
	if k := len(m.fenced); k > 0 && m.fenced[k-1].at == len(m.blocks)-1 {
		return m.fenced[k-1].behind
	}
	return 0
}

// asynchronous is an access through the async proxy.
type asynchronous struct {
	protocol.Access
	by     *machine
	at     int // operations of the group that issued it before
	behind int // accesses after the last of these
}

// meetings says which writes of threads meet asynchronous operations with no fence shown between.
func (w *sweep) meetings(in *instance, groups []*machine) {
	if at := in.rewritten; at != nil {
		w.k.leave(finding.Open{Property: finding.Proxy, Path: at.Path, Line: at.Line, Why: "a tensor map is written here, and that copies by it see this (fence.proxy.tensormap) is not shown"})
	}
	if at := in.unshown; at != nil {
		w.k.leave(finding.Open{Property: string(protocol.Bytes), Path: at.Path, Line: at.Line, Why: "that as many bytes are announced here as are copied is assumed: one of the two is not known"})
	}
	if at := in.together; at != nil {
		w.k.leave(finding.Open{Property: string(protocol.Lifetime), Path: at.Path, Line: at.Line, Why: "several threads initialise one mbarrier here, which PTX leaves undefined: that it stands as one of them leaves it is assumed"})
	}
	if at := in.ahead; at != nil {
		w.k.leave(finding.Open{Property: finding.Order, Path: at.Path, Line: at.Line, Why: "global memory is read here before the wait for the grids before this one (griddepcontrol.wait): whether one of them writes it is not asked about"})
	}
	if at := in.unordered; at != nil {
		w.k.leave(finding.Open{Property: finding.Proxy, Path: at.Path, Line: at.Line, Why: "no wgmma.fence is shown ahead of this multiplication"})
	}
	uses := in.asynchronous(groups)
	if len(uses) == 0 && in.unplaced == nil {
		return
	}
	for _, name := range in.losses {
		if in.sharedName(name) && in.lost[name] != "" {
			w.k.leave(finding.Open{Property: finding.Proxy, Path: w.k.Path, Line: w.k.Line, Why: fmt.Sprintf("asynchronous operations are there, and accesses to %s are not all known: %s", name, in.lost[name])})
			return
		}
	}
	for _, m := range groups {
		for _, written := range m.generic(in) {
			for i := range uses {
				u := &uses[i]
				if u.Buffer == written.Buffer && meet(&u.Access, &written.Access) && !m.fencedAfter(in, &written, u) && !u.by.fencedAhead(in, u.at, sharesWarp(m.threads, u.by.threads)) {
					w.unfenced(in, &written.Access, in.sites[u.Site])
					return
				}
			}
			if in.unplaced != nil && !m.fencedAfter(in, &written, nil) {
				w.unfenced(in, &written.Access, *in.unplaced)
				return
			}
		}
	}
}

func (w *sweep) unfenced(in *instance, a *protocol.Access, with protocol.Site) {
	at := in.sites[a.Site]
	w.k.leave(finding.Open{Property: finding.Proxy, Path: at.Path, Line: at.Line, Why: fmt.Sprintf(
		"threads write %s, the asynchronous operation in line %d accesses it, and no fence.proxy.async is shown between", in.buffers[a.Buffer].Name, with.Line)})
}

// sharedName reports whether a name is one of data in shared memory.
func (in *instance) sharedName(name string) bool {
	for _, b := range in.blocks {
		if b.Name == name && b.Shared && !b.Mbarrier {
			return true
		}
	}
	return false
}

// asynchronous lists the accesses of a kernel through the async proxy. Copies by cp.async are no such: they are the
// threads' own (PTX ISA 9.7.9.25.3).
func (in *instance) asynchronous(groups []*machine) []asynchronous {
	var out []asynchronous
	for _, m := range groups {
		for i, o := range m.ops {
			for _, a := range o.Access {
				if !m.byThreads(i, &a) && in.proxied(a.Buffer) {
					a.Site = o.Site
					out = append(out, asynchronous{a, m, i, len(m.blocks[i])})
				}
			}
		}
		for l, block := range m.blocks {
			for i, a := range block {
				if a.Async && !(a.Pending && a.Write) && (l == 0 || !slices.ContainsFunc(m.blocks[l-1], a.Equal)) {
					out = append(out, asynchronous{a, m, l, i})
				}
			}
		}
	}
	return out
}

// byThreads reports whether an access that an operation performs in flight is one of cp.async.
func (m *machine) byThreads(at int, a *protocol.Access) bool {
	return a.Write && (m.ops[at].Grouped() || slices.Contains(m.landed, at))
}

// written is a write of a group through the generic proxy.
type written struct {
	protocol.Access
	at     int // operations before it is over
	behind int // accesses after the last of these, with it
	told   bool
}

// generic lists what a group writes to shared memory by itself.
func (m *machine) generic(in *instance) []written {
	var out []written
	for l, block := range m.blocks {
		for i, a := range block {
			later := a.Pending && l+1 < len(m.blocks) && slices.ContainsFunc(m.blocks[l+1], a.Equal)
			if a.Write && (!a.Async || a.Pending) && !later && in.proxied(a.Buffer) {
				out = append(out, written{Access: a, at: l, behind: i + 1})
			}
		}
	}
	for i := range m.ops {
		o := &m.ops[i]
		for _, a := range o.Access {
			if !m.byThreads(i, &a) || !in.proxied(a.Buffer) {
				continue
			}
			end := slices.IndexFunc(m.ops, func(d protocol.Op) bool { return d.Kind == protocol.Drain && slices.Contains(d.Drains, i) })
			// Of a copy that an mbarrier completes nobody fences but who has waited for that.
			out = append(out, written{Access: a, at: end + 1, told: end < 0})
		}
	}
	return out
}

// fencedAfter reports whether the group executes a fence behind a write and ahead of the next operation that may tell the
// issuer of an asynchronous operation that it is there, or ahead of that operation, where it issues that itself.
func (m *machine) fencedAfter(in *instance, w *written, u *asynchronous) bool {
	if w.told {
		return false
	}
	next, behind := w.at, maxOps
	for next < len(m.ops) && !m.announces(in, next, u) {
		next++
	}
	if u != nil && u.by == m && u.at >= w.at && u.at <= next {
		next, behind = u.at, u.behind
	}
	return slices.ContainsFunc(m.fenced, func(f fencing) bool {
		return (f.at > w.at || f.at == w.at && f.behind >= w.behind) && (f.at < next || f.at == next && f.behind <= behind)
	})
}

// announces reports whether an operation of the group may tell who issues an asynchronous operation what the group did before.
// A barrier of a warp tells its lanes, and these only where it is what they waited for last: else something came later.
func (m *machine) announces(in *instance, at int, u *asynchronous) bool {
	switch o := &m.ops[at]; o.Kind {
	case protocol.NamedSync:
		if in.nameds[o.Object].ID < protocol.WarpBarrier || u == nil {
			return true
		}
		last := u.by.lastWait(u.at)
		return last >= 0 && u.by.ops[last].Kind == protocol.NamedSync && u.by.ops[last].Object == o.Object
	case protocol.NamedArrive, protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ClusterArrive, protocol.FlagAdd, protocol.FlagStore:
		return true
	}
	return false
}

// lastWait is the last of the first n operations at which the group may have waited for others, -1 without one.
func (m *machine) lastWait(n int) int { return m.lastWaitFor(nil, n) }

// lastWaitFor is lastWait, of those of an instance for threads of other warps alone.
func (m *machine) lastWaitFor(others *instance, n int) int {
	for n--; n >= 0; n-- {
		switch o := &m.ops[n]; o.Kind {
		case protocol.NamedSync:
			if others == nil || others.nameds[o.Object].ID < protocol.WarpBarrier {
				return n
			}
		case protocol.Wait, protocol.ClusterWait, protocol.Spin:
			return n
		}
	}
	return -1
}

// fencedAhead reports whether a group executes a fence between what it waited for last and its n-th operation. Of a writer in another warp it has not
// been told by a barrier of its own warp, ahead of which the fence may stand.
func (m *machine) fencedAhead(in *instance, n int, lanes bool) bool {
	from := m.lastWait(n) + 1
	if !lanes {
		from = m.lastWaitFor(in, n) + 1
	}
	return slices.ContainsFunc(m.fenced, func(f fencing) bool { return from <= f.at && f.at <= n })
}

// proxied reports whether a buffer is one that threads and engines access through different proxies: shared memory.
// Tensor memory is accessed by tcgen05 alone (PTX ISA 9.7.16.6.5).
func (in *instance) proxied(buffer int) bool {
	return in.buffers[buffer].CTA >= 0 && !in.isColumns(buffer)
}

// meet reports whether two accesses may be of the same elements.
func meet(a, b *protocol.Access) bool {
	return a.Parts == protocol.Somewhere || b.Parts == protocol.Somewhere || protocol.Overlap(a.Elements, b.Elements)
}

// leave notes that a property is open, once.
func (k *Kernel) leave(o finding.Open) {
	if !slices.ContainsFunc(k.Open, func(p finding.Open) bool { return p.Property == o.Property }) {
		k.Open = append(k.Open, o)
	}
}

// unplacedAsync notes an asynchronous operation that accesses shared memory, it is not known where.
func (m *machine) unplacedAsync(n program.Node) {
	if m.in.unplaced == nil && !m.host {
		at := m.bare(n)
		m.in.unplaced = &at
	}
}

// multipliesInOrder notes a wgmma without any wgmma.fence ahead of it in the program of its thread, which the first one needs
// (PTX ISA 9.7.15.7.1). Whether registers are touched between two is not followed.
func (m *machine) multipliesInOrder(n program.Node) {
	if !m.registersOrdered && m.in.unordered == nil && !m.host {
		at := m.bare(n)
		m.in.unordered = &at
	}
}

// wgmma reports whether an instruction is a multiplication by wgmma.
func wgmma(op *dialect.Op) bool { return op.Instr != nil && op.Instr.Op == "wgmma" }
