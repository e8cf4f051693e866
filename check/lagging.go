package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Nothing in PTX keeps a lane from falling behind the others of its warp (PTX ISA 3.1): it may still ask for a phase when one of them is
// two phases ahead. Compilers let lanes that left a loop run on together, so that no machine is known to show it where no branch that
// takes long tells them apart: a hang that needs it is no more than a warning.

// lagging reports whether all that do not come to their end in a hang are threads before a wait that another lane of their warp, which
// came to it as often, has behind it.
func (a *answer) lagging() bool {
	if a.trace == nil {
		return false
	}
	done := map[int]map[int]int{} // by class and operation: threads
	for _, s := range a.trace.Steps {
		if !s.Completion {
			if done[s.Class] == nil {
				done[s.Class] = map[int]int{}
			}
			done[s.Class][s.Op] += s.N
		}
	}
	any := false
	for c := range a.instance.Classes {
		before := a.instance.Classes[c].Count
		for l := range a.instance.Classes[c].Ops {
			if n := done[c][l]; n < before {
				if any = true; !a.passed(done, c, l) {
					return false
				}
				before = n
			}
		}
	}
	return any
}

// passed reports whether an operation that threads of a class stand at is a wait that other lanes of their warp have behind them.
func (a *answer) passed(done map[int]map[int]int, c, l int) bool {
	of := &a.instance.Classes[c]
	if of.Ops[l].Kind != protocol.Wait {
		return false
	}
	if done[c][l] > 0 && inOneWarp(of) {
		return true
	}
	round := visits(of.Ops[:l], of.Ops[l].Site)
	for d := range a.instance.Classes {
		other := &a.instance.Classes[d]
		if d == c || other.CTA != of.CTA || !shareWarp(of, other) {
			continue
		}
		for at := range other.Ops {
			if o := &other.Ops[at]; o.Site == of.Ops[l].Site && o.Kind == protocol.Wait && done[d][at] > 0 && visits(other.Ops[:at], o.Site) == round {
				return true
			}
		}
	}
	return false
}

// visits counts the operations of a place.
func visits(ops []protocol.Op, site int) (n int) {
	for i := range ops {
		if ops[i].Site == site {
			n++
		}
	}
	return n
}

func inOneWarp(c *protocol.Class) bool {
	return !slices.ContainsFunc(c.Threads, func(t int) bool { return t/32 != c.Threads[0]/32 })
}

func shareWarp(c, d *protocol.Class) bool {
	return slices.ContainsFunc(c.Threads, func(t int) bool {
		return slices.ContainsFunc(d.Threads, func(u int) bool { return t/32 == u/32 })
	})
}
