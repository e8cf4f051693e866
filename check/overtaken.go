package check

import "github.com/fencepost-dev/fencepost/protocol"

// Arrivals of two commits of one thread at mbarriers of one CTA are not ordered by PTX, so a CTA that has waited for the later one
// may be gone when the earlier arrives. Kernels rely on it that it is not, and on no machine is it known to be: that is no more than a
// warning. Commits of other threads are another matter.

// overtaken reports whether all commits in flight at the end of a lifetime's violation to the CTA that is gone have a later commit of
// their thread to that CTA that has arrived.
func (a *answer) overtaken() bool {
	if a.trace == nil || a.object < 0 || a.object >= len(a.instance.Mbars) {
		return false
	}
	gone := a.instance.Mbars[a.object].CTA
	commits := func(c, l int) bool {
		op := &a.instance.Classes[c].Ops[l]
		return op.Kind == protocol.Issue && a.arrives(op, gone)
	}
	type issue struct{ c, l int }
	flying := map[issue]int{} // how many
	order := map[int][]int{}  // of each class, the commits issued, by their operations
	arrived := map[issue]int{}
	for _, s := range a.trace.Steps {
		if !commits(s.Class, s.Op) {
			continue
		}
		if at := (issue{s.Class, s.Op}); s.Completion {
			flying[at] -= s.N
			arrived[at] += s.N
		} else if s.N > 1 || a.instance.Classes[s.Class].Count > 1 {
			return false
		} else {
			flying[at]++
			order[s.Class] = append(order[s.Class], s.Op)
		}
	}
	any := false
	for at, n := range flying {
		if n <= 0 {
			continue
		}
		last := len(order[at.c]) - 1
		for order[at.c][last] != at.l {
			last--
		}
		later := false
		for _, l := range order[at.c][last+1:] {
			later = later || flying[issue{at.c, l}] == 0 && arrived[issue{at.c, l}] > 0
		}
		if !later {
			return false
		}
		any = true
	}
	return any
}

// arrives reports whether an operation arrives at mbarriers of a CTA, and brings nothing along.
func (a *answer) arrives(op *protocol.Op, cta int) bool {
	yes := false
	for _, e := range op.Effects {
		if e.Bytes != 0 {
			return false
		}
		yes = yes || a.instance.Mbars[e.Mbar].CTA == cta
	}
	return yes
}
