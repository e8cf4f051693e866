package lower

import (
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Instructions of tcgen05 may be executed in another order than they were issued in, but for pairs that PTX names: multiplications of one
// accumulator and one shape, a copy and a multiplication behind it (PTX ISA 9.7.16.6.4). Kernels depend on more: the scale factors of the
// next multiplication are copied over those of the one before, and a multiplication writes its sums over what another multiplies by. The
// engines take these to be in order, too (Protocol.Conflict); the property order is open where nothing else makes them so.

// queued is a multiplication or copy, in the order of their issue.
type queued struct {
	at      int // operations before it
	copies  bool
	maybe   bool // it may or may not happen, or several times
	site    protocol.Site
	sums    []protocol.Access // that a multiplication writes
	touched []protocol.Access // in tensor memory, its sums among them
}

func (m *machine) queues(n program.Node, copies bool) queued {
	return queued{at: len(m.ops), copies: copies, maybe: m.sampling, site: m.bare(n)}
}

func (q queued) String() string {
	if q.copies {
		return "tcgen05.cp"
	}
	return "tcgen05.mma"
}

// pipelined leaves order open where two instructions of a thread that PTX names no order of access the same columns, and the thread has not
// seen the first of them done by a commit.
func (w *sweep) pipelined(groups []*machine) {
	for _, m := range groups {
		var before []queued
		over := m.seenDone(groups)
		for _, b := range m.queue {
			before = slices.DeleteFunc(before, func(a queued) bool {
				return over[b.at] >= a.at || a.site == b.site && a.copies == b.copies && slices.EqualFunc(a.touched, b.touched, protocol.Access.Equal)
			})
			for _, a := range before {
				again := a.maybe && b.maybe && a.at == b.at // a loop may be around both, and come to the first behind the second
				if (!a.ahead(b) || again && !b.ahead(a)) && a.meets(b) {
					w.k.leave(finding.Open{Property: finding.Order, Path: b.site.Path, Line: b.site.Line, Why: fmt.Sprintf(
						"this %s and the %s at line %d may access the same columns of tensor memory, PTX does not name the order of the two, and their thread waits for no commit in between", b, a, a.site.Line)})
					return
				}
			}
			before = append(before, b)
		}
	}
}

// ahead reports whether PTX names the order of an instruction and one behind it. Where the sums are is not always known: one statement has
// them in the same place, or in another stage.
func (a queued) ahead(b queued) bool {
	return !b.copies && (a.copies || slices.EqualFunc(a.sums, b.sums, func(x, y protocol.Access) bool {
		return x.Buffer == y.Buffer && slices.Equal(x.Elements, y.Elements) && (a.site == b.site || x.Parts == protocol.Whole && y.Parts == protocol.Whole)
	}))
}

// meets reports whether two instructions may access one column, and one of them writes it.
func (a queued) meets(b queued) bool {
	return slices.ContainsFunc(a.touched, func(x protocol.Access) bool {
		return slices.ContainsFunc(b.touched, func(y protocol.Access) bool {
			return x.Buffer == y.Buffer && (x.Write || y.Write) && protocol.Overlap(x.Elements, y.Elements)
		})
	})
}

// seenDone is, for each number of operations, the last commit ahead of them that the group has waited for, -1 without one. It counts its waits
// for an mbarrier on which only its own commits arrive: the first of them is for the first commit, or passes at once.
func (m *machine) seenDone(groups []*machine) []int {
	others := map[int]bool{}
	for _, g := range groups {
		for i := range g.ops {
			switch o := &g.ops[i]; o.Kind {
			case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx:
				others[o.Object] = true
			case protocol.Issue:
				for _, e := range o.Effects {
					others[e.Mbar] = others[e.Mbar] || g != m || e.Bytes != 0
				}
			}
		}
	}
	committed, waits, first := map[int][]int{}, map[int]int{}, map[int]int{}
	out := []int{-1}
	for i := range m.ops {
		o, last := &m.ops[i], out[i]
		switch o.Kind {
		case protocol.Issue:
			for _, e := range o.Effects {
				committed[e.Mbar] = append(committed[e.Mbar], i)
			}
		case protocol.Wait:
			x := o.Object
			if waits[x]++; waits[x] == 1 {
				first[x] = o.Parity
			}
			if n := waits[x] - first[x]; !others[x] && n > 0 && n <= len(committed[x]) {
				last = max(last, committed[x][n-1])
			}
		}
		out = append(out, last)
	}
	return out
}
