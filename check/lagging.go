package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Nothing in PTX keeps a lane from falling behind the others of its warp (PTX ISA 3.1): it may still ask for a phase when one of them is
// two phases ahead. Compilers let lanes that left a loop run on together, so that no machine is known to show it where no branch that
// takes long tells them apart: a hang that needs it is no more than a warning.

// lagging reports whether at the end of a violation a thread stands before a wait that another lane of its warp, which came to it as
// often, has behind it.
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
	classes := a.instance.Classes
	for c := range classes {
		ops := classes[c].Ops
		for l := range ops {
			before := classes[c].Count
			if l > 0 {
				before = done[c][l-1]
			}
			if ops[l].Kind != protocol.Wait || done[c][l] >= before {
				continue
			}
			if done[c][l] > 0 && inOneWarp(&classes[c]) {
				return true
			}
			round := visits(ops[:l], ops[l].Site)
			for d := range classes {
				if d == c || classes[d].CTA != classes[c].CTA || !shareWarp(&classes[c], &classes[d]) {
					continue
				}
				for at := range classes[d].Ops {
					if o := &classes[d].Ops[at]; o.Site == ops[l].Site && o.Kind == protocol.Wait && done[d][at] > 0 && visits(classes[d].Ops[:at], o.Site) == round {
						return true
					}
				}
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
