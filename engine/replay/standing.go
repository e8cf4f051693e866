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
// The barriers of warps are left out: a step is of all that come to one, as a rule.
func (s *State) since(before *counts, st engine.Step) []engine.Standing {
	op := &s.p.Classes[st.Class].Ops[st.Op]
	about := func(n int, kinds ...protocol.Kind) bool {
		return !st.Completion && op.Object == n && slices.Contains(kinds, op.Kind)
	}
	var out []engine.Standing
	for i, b := range s.Mbars {
		if b != before.mbars[i] || about(i, protocol.Wait, protocol.Init) ||
			st.Completion && slices.ContainsFunc(op.Effects, func(e protocol.Effect) bool { return e.Mbar == i }) {
			out = append(out, s.mbarrier(i))
		}
	}
	for i, n := range s.p.Named {
		if n.ID < protocol.WarpBarrier && (s.Registered[i] != before.registered[i] || about(i, protocol.NamedArrive, protocol.NamedSync)) {
			out = append(out, s.barrier(i))
		}
	}
	for g, generation := range s.Generation {
		if generation != before.generation[g] || !st.Completion && op.Kind == protocol.ClusterArrive && s.group(st.Class) == g {
			out = append(out, s.generation(g))
		}
	}
	for i := range s.p.Flags {
		if s.Flags[i] != before.flags[i] || about(i, protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap) {
			out = append(out, s.flag(i))
		}
	}
	copy(before.mbars, s.Mbars)
	copy(before.registered, s.Registered)
	copy(before.flags, s.Flags)
	copy(before.generation, s.Generation)
	return out
}

// Awaited says how the object of an operation stands; ok is false of one that has none.
func (s *State) Awaited(class int, op *protocol.Op) (at engine.Standing, ok bool) {
	switch op.Kind {
	case protocol.Issue, protocol.Drain:
		return at, false
	case protocol.NamedArrive, protocol.NamedSync:
		return s.barrier(op.Object), true
	case protocol.ClusterArrive, protocol.ClusterWait:
		return s.generation(s.group(class)), true
	case protocol.FlagAdd, protocol.FlagStore, protocol.Spin, protocol.FlagSwap:
		return s.flag(op.Object), true
	}
	return s.mbarrier(op.Object), true
}

func (s *State) mbarrier(i int) engine.Standing {
	b := s.Mbars[i]
	return engine.Standing{Object: s.mbar(i, -1), State: fmt.Sprintf("phase %d, %d of %d arrivals pending%s", b.Phase, b.Pending, b.Expected, bytes(b.Tx)),
		Phase: b.Phase, Come: b.Expected - b.Pending, Need: b.Expected, Bytes: b.Tx}
}

func (s *State) barrier(i int) engine.Standing {
	n, state := s.p.Named[i], "complete"
	need := n.Threads
	if need == 0 {
		need = s.alive(n.CTA)
	}
	if s.Registered[i] > 0 {
		state = fmt.Sprintf("%d of %d threads registered", s.Registered[i], need)
	}
	return engine.Standing{Object: fmt.Sprintf("%s of CTA %d", s.named(i), n.CTA), State: state, Come: s.Registered[i], Need: need}
}

func (s *State) generation(g int) engine.Standing {
	object := "cluster barrier"
	if len(s.Generation) > 1 && !s.p.Cluster {
		object = fmt.Sprintf("cluster barrier of CTA %d", g)
	}
	alive, arrived := s.cluster(g)
	return engine.Standing{Object: object, State: fmt.Sprintf("generation %d, %d of %d threads arrived", s.Generation[g], arrived, alive),
		Phase: s.Generation[g], Come: arrived, Need: alive}
}

func (s *State) flag(i int) engine.Standing {
	return engine.Standing{Object: s.p.Flags[i].Name, State: fmt.Sprintf("value %d", s.Flags[i])}
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
