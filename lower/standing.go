package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// machine writes down the state of the group. Left out are records that evaluation never looks at again, only what comes
// after it: operations and sites before the last, how often barriers were
// waited for (waits, but for those of responses), who asked ahead (peeked), byte
// counts to be settled (copies), stores and fences by location (stored, fences), and how often lanes met at a place (joints,
// compared by the certificate). The tables of the instance that give an object or buffer its index (mbarKey, bufKey,
// siteKey, blocks) give the same one again. What evaluation found out about the whole kernel (discoveries, lost, vague)
// only grows, and decides at the end. Limits are no part of what a kernel means: fuel, forks.
func (v *survey) machine() {
	m := v.w.m
	v.ints(int64(m.depth), int64(m.trying), int64(len(m.maybes)), int64(len(m.skipping)), int64(m.grids), int64(len(m.letters)), int64(len(m.deliveries)))
	v.ints(int64(len(m.reallocated.list)), int64(len(m.in.flagBlocks)), int64(len(m.in.drawn)), int64(len(m.in.unknown)),
		int64(len(m.in.shares)), int64(len(m.in.stores)), int64(len(m.in.deals)), int64(len(m.in.same)))
	v.flags(m.sampling, m.polling, m.host, m.reallocated.unclear)
	v.same(m.mod)
	v.same(m.via)
	for _, name := range slices.Sorted(maps.Keys(v.w.waits)) {
		v.text(name)
		v.w.waits[name] = v.held("waits on "+name, v.w.waits[name])
	}
	v.text(m.lastMet(), fmt.Sprint(m.takers))
	v.value("caught", m.caught)
	for _, a := range m.blocks[len(m.blocks)-1] {
		v.text(fmt.Sprint(a))
	}
	v.ints(int64(m.behindFence()))
	var odd []int
	for b, n := range m.arrivals {
		if n&1 != 0 {
			odd = append(odd, b)
		}
	}
	slices.Sort(odd)
	v.text(fmt.Sprint(odd))
	counted(v, m.allocs, func(n int) any { return n })
	counted(v, m.tries, func(n int) any { return n })
	counted(v, m.tickets, func(n int64) any { return n })
	counted(v, m.heard, func(n int) any { return n })
	for _, groups := range [][][]flight{{m.bulk}, m.groups, {m.cpAsync}, m.cpGroup} {
		v.ints(int64(len(groups)))
		for _, g := range groups {
			v.ints(int64(len(g)))
			for _, f := range g {
				v.ints(int64(len(m.ops) - f.at))
				v.flags(f.handed)
				v.text(fmt.Sprint(f.pending))
			}
		}
	}
	v.text(fmt.Sprint(m.sending, m.leaving, m.reading, m.multiplied, m.storing))
	v.list("scales", m.scales[:])
	v.ints(int64(len(m.loadings)))
	for _, l := range m.loadings {
		v.text(fmt.Sprint(l.Access))
		v.ints(int64(len(m.ops) - l.at))
		v.ints(int64(len(l.into)))
		for _, r := range l.into {
			v.visited(r)
		}
	}
}

// counted writes down a map of numbers.
func counted[K comparable, N any](v *survey, in map[K]N, of func(N) any) {
	var lines []string
	for k, n := range in {
		lines = append(lines, fmt.Sprint(k, of(n)))
	}
	slices.Sort(lines)
	v.ints(int64(len(lines)))
	v.text(lines...)
}

// lastMet says whether the threads met as a warp since they last waited: all that meet looks for.
func (m *machine) lastMet() string {
	for i := len(m.ops) - 1; i >= 0; i-- {
		switch o := m.ops[i]; o.Kind {
		case protocol.NamedSync:
			if m.in.nameds[o.Object].ID >= protocol.WarpBarrier {
				return "met"
			}
		case protocol.Wait, protocol.ClusterWait, protocol.Spin, protocol.Drain:
			return "waited"
		}
	}
	return ""
}
