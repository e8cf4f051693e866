package replay

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// counts is what of a state a step may change besides what it is about: an exit may complete a barrier.
type counts struct {
	mbars                         []Mbar
	registered, flags, generation []int
}

func (s *State) counts() *counts {
	return &counts{slices.Clone(s.Mbars), slices.Clone(s.Registered), slices.Clone(s.Flags), slices.Clone(s.Generation)}
}

// since says how the objects stand that a step was about or that have changed since before, which it brings up to date.
// The barrier of a warp is told only while somebody waits there.
func (s *State) since(before *counts, st engine.Step) []engine.Standing {
	op, class := &s.p.Classes[st.Class].Ops[st.Op], st.Class
	about := func(n int, kinds ...protocol.Kind) bool {
		return !st.Completion && op.Object == n && slices.Contains(kinds, op.Kind)
	}
	var out []engine.Standing
	for i, b := range s.Mbars {
		if b != before.mbars[i] || about(i, protocol.Wait) || about(i, protocol.Init) ||
			st.Completion && slices.ContainsFunc(op.Effects, func(e protocol.Effect) bool { return e.Mbar == i }) {
			out = append(out, engine.Standing{Object: s.mbar(i, -1), State: fmt.Sprintf("phase %d, %d of %d arrivals pending%s", b.Phase, b.Pending, b.Expected, bytes(b.Tx)),
				Phase: b.Phase, Come: b.Expected - b.Pending, Need: b.Expected, Bytes: b.Tx})
		}
	}
	for i, n := range s.p.Named {
		at := s.Registered[i]
		if at == before.registered[i] && !about(i, protocol.NamedArrive, protocol.NamedSync) || n.ID >= protocol.WarpBarrier && at == 0 {
			continue
		}
		need, state := n.Threads, "complete"
		if need == 0 {
			need = s.alive(n.CTA)
		}
		if at > 0 {
			state = fmt.Sprintf("%d of %d threads registered", at, need)
		}
		out = append(out, engine.Standing{Object: fmt.Sprintf("%s of CTA %d", s.named(i), n.CTA), State: state, Come: at, Need: need})
	}
	for g, generation := range s.Generation {
		if generation == before.generation[g] && (st.Completion || op.Kind != protocol.ClusterArrive || s.group(class) != g) {
			continue
		}
		alive, arrived := s.cluster(g)
		object := "cluster barrier"
		if len(s.Generation) > 1 && !s.p.Cluster {
			object = fmt.Sprintf("cluster barrier of CTA %d", g)
		}
		out = append(out, engine.Standing{Object: object, State: fmt.Sprintf("generation %d, %d of %d threads arrived", generation, arrived, alive),
			Phase: generation, Come: arrived, Need: alive})
	}
	for i, f := range s.p.Flags {
		if s.Flags[i] != before.flags[i] || about(i, protocol.FlagAdd, protocol.FlagStore, protocol.Spin) {
			out = append(out, engine.Standing{Object: f.Name, State: fmt.Sprintf("value %d", s.Flags[i])})
		}
	}
	copy(before.mbars, s.Mbars)
	copy(before.registered, s.Registered)
	copy(before.flags, s.Flags)
	copy(before.generation, s.Generation)
	return out
}

// Flying counts the operations in flight that threads of a CTA issued at a place.
func (s *State) Flying(cta, site int) (n int) {
	same := func(other int) bool { // another stage's operation is another site of the same line
		if sites := s.p.Sites; max(site, other) < len(sites) && min(site, other) >= 0 {
			return sites[site].Path == sites[other].Path && sites[site].Line == sites[other].Line
		}
		return site == other
	}
	for c := range s.p.Classes {
		if s.p.Classes[c].CTA != cta {
			continue
		}
		for l, k := range s.InFlight[c] {
			if k > 0 && same(s.p.Classes[c].Ops[l].Site) {
				n += k
			}
		}
	}
	return n
}
