package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// A barrier counts warps: when a thread comes to it, all of its warp are there, and they are counted together (PTX ISA 9.7.13.1). So
// one that counts the threads of one warp, and to which several warps come, is each warp's own: nobody waits for another warp.
// In a protocol, where threads come one by one, half of one warp and half of another would do.

// inWarps makes such barriers those of the warps that come.
func (w *sweep) inWarps(in *instance, groups []*machine) {
	for b := range in.nameds {
		if n := in.nameds[b]; n.ID >= protocol.WarpBarrier || n.Threads != warpSize || !in.onlyWaits(groups, b) {
			continue
		}
		warps, within := map[int64]bool{}, true
		for _, m := range groups {
			if slices.ContainsFunc(m.ops, on(b)) {
				warps[m.threads[0]/warpSize] = true
				within = within && m.threads[0]/warpSize == m.threads[len(m.threads)-1]/warpSize
			}
		}
		if len(warps) < 2 || !within {
			continue
		}
		w.k.separated = true
		for _, m := range groups {
			if !slices.ContainsFunc(m.ops, on(b)) {
				continue
			}
			warp := int(m.threads[0] / warpSize)
			own := in.warpBarrier(warpKey{warp, int(m.cta), fullWarp, in.nameds[b].ID + 1}, min(warpSize, in.blockThreads()-warpSize*warp))
			m.ops = slices.Clone(m.ops)
			for i := range m.ops {
				if on(b)(m.ops[i]) {
					m.ops[i].Object = own
				}
			}
		}
	}
}

const warpSize = 32

func on(b int) func(protocol.Op) bool {
	return func(o protocol.Op) bool {
		return (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && o.Object == b
	}
}

// onlyWaits reports whether all that is done with the id of a barrier is to wait at it, with one count, by warps all of whose lanes
// come to the same named barriers.
func (in *instance) onlyWaits(groups []*machine, b int) bool {
	n := in.nameds[b]
	for i, o := range in.nameds {
		if i != b && o.ID == n.ID && o.CTA == n.CTA {
			return false
		}
	}
	first := map[int64][]protocol.Op{} // of each warp of the CTA: its named barriers
	for _, m := range groups {
		if int(m.cta) != n.CTA {
			continue
		}
		come := in.comesTo(m)
		if slices.ContainsFunc(come, func(o protocol.Op) bool { return o.Object == b && o.Kind != protocol.NamedSync }) {
			return false
		}
		for _, t := range m.threads {
			of, met := first[t/warpSize]
			if !met {
				first[t/warpSize] = come
			} else if (slices.ContainsFunc(of, on(b)) || slices.ContainsFunc(come, on(b))) && !slices.EqualFunc(of, come, sameBarrier) {
				return false
			}
		}
	}
	return true
}

// comesTo lists a group's operations on named barriers.
func (in *instance) comesTo(m *machine) (out []protocol.Op) {
	for _, o := range m.ops {
		if (o.Kind == protocol.NamedSync || o.Kind == protocol.NamedArrive) && in.nameds[o.Object].ID < protocol.WarpBarrier {
			out = append(out, o)
		}
	}
	return out
}

func sameBarrier(a, b protocol.Op) bool { return a.Kind == b.Kind && a.Object == b.Object }
