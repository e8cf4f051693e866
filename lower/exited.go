package lower

import (
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// exchanged makes lanes of a warp meet that hand each other numbers, in parts of the warp of a width.
func (m *machine) exchanged(short string, a *value.Arguments, n program.Node) {
	m.converge(n)
	if m.sampling {
		return
	}
	width := int64(32)
	at := slices.Index([]string{"warp_reduction_sum", "warp_reduction_max", "warp_reduction"}, short)
	if w, ok := m.settle(a.Get(max(at, 1), "threads_in_group")).(value.Int); ok && at >= 0 && w > 0 && w < 32 && w&(w-1) == 0 {
		width = int64(w)
	}
	site := m.ops[len(m.ops)-1].Site
	m.in.exchanges[site] = max(m.in.exchanges[site], width)
}

// withoutExited makes an exchange one of the lanes that come to it where the others have exited: shfl.sync, vote.sync,
// match.sync and redux.sync wait for the lanes of their mask that have not (PTX ISA 9.7.9.6, 9.7.13.9, 9.7.13.10, 9.7.13.12). A lane
// exits, whatever the others do, where it waits for nobody but those that they have waited for ahead of their first exchange. What is read of
// a lane that has exited is undefined, so it must not be one of a part of the warp that exchanges numbers. Which exchanges of lanes that come
// to some are the same is not known: nothing is shown then. (A barrier of a warp waits for all lanes of its mask: 9.7.13.2.)
func (w *sweep) withoutExited(in *instance, groups []*machine) {
	if len(in.exchanges) == 0 {
		return
	}
	for b := range in.nameds {
		if key, of := in.warpKeyOf(b); of && key.mask == fullWarp && key.named == 0 {
			w.meetWithoutExited(in, groups, b, key)
		}
	}
}

// comers are lanes of a warp that do the same, and where they come to the barrier of the warp.
type comers struct {
	*machine
	lanes    int64
	meetings []int
}

func (w *sweep) meetWithoutExited(in *instance, groups []*machine, b int, key warpKey) {
	var all []comers
	first, last := -1, 0
	for _, m := range groups {
		c := comers{machine: m}
		for _, t := range m.threads {
			if m.cta == int64(key.cta) && int(t/32) == key.warp {
				c.lanes |= 1 << (t % 32)
			}
		}
		if c.lanes == 0 {
			continue
		}
		for i := range m.ops {
			if m.ops[i].Kind == protocol.NamedSync && m.ops[i].Object == b {
				c.meetings = append(c.meetings, i)
			}
		}
		if n := len(c.meetings); first < 0 || n < first {
			first = n
		}
		last = max(last, len(c.meetings))
		all = append(all, c)
	}
	if first == last || !alike(all) {
		return
	}
	for _, c := range all {
		c.ops = slices.Clone(c.ops)
	}
	for meeting := first; meeting < last; meeting++ {
		var here int64
		width, site, known := int64(0), 0, true
		for _, c := range all {
			switch {
			case meeting < len(c.meetings):
				here |= c.lanes
				site = c.ops[c.meetings[meeting]].Site
				if width = max(width, in.exchanges[site]); in.exchanges[site] == 0 {
					return
				}
				known = known && len(c.meetings) == last
			case !c.exits(all):
				return
			default:
				known = known && len(c.meetings) == 0
			}
		}
		if at := in.sites[site]; !known {
			w.k.gap(Opaque{at.Path, at.Line, limit.Undefined.Says("some lanes of a warp exit after fewer exchanges of numbers than the others: which of them meet is not known")})
		} else if !value.WholeParts(here, width) {
			w.k.gap(Opaque{at.Path, at.Line, limit.Undefined.Says("some lanes of a warp have exited when the others exchange numbers here: what is read of them is undefined")})
		}
		w.k.separated = true
		fewer := in.warpBarrier(warpKey{key.warp, key.cta, here, 0}, bits.OnesCount64(uint64(here)))
		for _, c := range all {
			if meeting < len(c.meetings) {
				c.ops[c.meetings[meeting]].Object = fewer
			}
		}
	}
}

// alike reports whether lanes come to the same places, as long as they come to any.
func alike(all []comers) bool {
	for _, a := range all {
		for _, b := range all {
			for i := range min(len(a.meetings), len(b.meetings)) {
				if a.ops[a.meetings[i]].Site != b.ops[b.meetings[i]].Site {
					return false
				}
			}
		}
	}
	return true
}

// exits reports whether lanes wait for nobody behind their last meeting; without one, for nobody but those for whom all that come to one wait
// ahead of it. A barrier of lanes that come to no more meetings than they do keeps nobody.
func (c comers) exits(all []comers) bool {
	var longer int64
	for _, o := range all {
		if len(o.meetings) > len(c.meetings) {
			longer |= o.lanes
		}
	}
	if n := len(c.meetings); n > 0 {
		return len(c.waits(c.ops[c.meetings[n-1]+1:], longer)) == 0
	}
	own := c.waits(c.ops, longer)
	return !slices.ContainsFunc(all, func(o comers) bool {
		return len(o.meetings) > 0 && !slices.EqualFunc(own, c.waits(o.ops[:o.meetings[0]], longer), func(x, y *protocol.Op) bool { return x.Equal(y) })
	})
}

// waits are the operations that may wait for others, but for barriers of the warp that some lanes do not take part in.
func (c comers) waits(ops []protocol.Op, lanes int64) []*protocol.Op {
	var out []*protocol.Op
	for i := range ops {
		switch op := &ops[i]; op.Kind {
		case protocol.Wait, protocol.NamedSync, protocol.ClusterWait, protocol.Spin, protocol.Drain:
			if key, of := c.in.warpKeyOf(op.Object); op.Kind != protocol.NamedSync || !of || key.named != 0 || key.mask&lanes != 0 {
				out = append(out, op)
			}
		}
	}
	return out
}
