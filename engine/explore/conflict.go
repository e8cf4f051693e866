package explore

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// accessor is one access of a thread at a location or of an operation in flight.
type accessor struct {
	engine.Accessor
	*protocol.Access
	count int   // threads of the class
	reach reach // in a proof
}

func (a *accessor) use() protocol.Use {
	return protocol.Use{Access: a.Access, Class: a.Class, InFlight: a.InFlight}
}

// accessors lists every access of p, by buffer.
func accessors(p *protocol.Protocol) [][]accessor {
	out := make([][]accessor, len(p.Buffers))
	for c := range p.Classes {
		class := &p.Classes[c]
		for l := range class.Blocks {
			for i := range class.Blocks[l] {
				a := &class.Blocks[l][i]
				out[a.Buffer] = append(out[a.Buffer], accessor{Accessor: engine.Accessor{Class: c, Location: l, Index: i}, Access: a, count: class.Count})
			}
		}
		for l := range class.Ops {
			if class.Ops[l].Kind != protocol.Issue {
				continue
			}
			for i := range class.Ops[l].Access {
				a := &class.Ops[l].Access[i]
				out[a.Buffer] = append(out[a.Buffer], accessor{Accessor: engine.Accessor{Class: c, Location: l, Index: i, InFlight: true}, Access: a, count: class.Count})
			}
		}
	}
	return out
}

// who says which threads may be behind a conflict of two accessors: one and the same, or two distinct ones.
type who struct{ same, distinct bool }

// conflict decides whether two accessors can touch one element, one of them writing, and for which threads, leaving
// aside when. The thread that issued an operation is ordered with it until the issue, so it can conflict with its own
// operation only from later locations, and with its own copies in the blocks where these are pending.
func conflict(p *protocol.Protocol, a, b *accessor) who {
	own := unordered(p, a, b)
	if !p.Conflict(a.use(), b.use()) {
		return who{same: own}
	}
	if a.Class != b.Class {
		return who{distinct: meet(a.Access, b.Access, who{true, true})}
	}
	var w who
	if a.count > 1 {
		w.distinct = meet(a.Access, b.Access, who{distinct: true})
	}
	switch {
	case a.InFlight && b.InFlight:
		w.same = a.Location != b.Location
	case a.InFlight:
		w.same = b.Location > a.Location
	case b.InFlight:
		w.same = a.Location > b.Location
	}
	w.same = w.same && meet(a.Access, b.Access, who{same: true}) || own
	return w
}

// unordered reports whether one thread in one block may be behind both accessors.
func unordered(p *protocol.Protocol, a, b *accessor) bool {
	if a.InFlight || b.InFlight || a.Class != b.Class || a.Location != b.Location {
		return false
	}
	if a.Index > b.Index {
		a, b = b, a
	}
	return a.Index < b.Index && p.Unordered(a.Access, b.Access) && overlap(a.Elements, b.Elements, who{same: true})
}

// meet reports whether two conflicting accesses surely touch one element.
func meet(a, b *protocol.Access, w who) bool {
	switch {
	case a.Parts == protocol.Somewhere:
		return covered(a.Elements, b.Elements, w)
	case b.Parts == protocol.Somewhere:
		return covered(b.Elements, a.Elements, w)
	}
	return overlap(a.Elements, b.Elements, w)
}

// covered reports whether some range of x lies within some range of y, for threads as in overlap.
func covered(x, y []protocol.Range, w who) bool {
	any := w.same && w.distinct || len(x) == 1 || len(y) == 1
	widest := 0
	for j := range y {
		widest = max(widest, y[j].Hi-y[j].Lo)
	}
	for i := range x {
		if n := x[i].Hi - x[i].Lo; n == 0 || n > widest {
			continue
		}
		for j := range y {
			if (any || (i == j) == w.same) && y[j].Lo <= x[i].Lo && x[i].Hi <= y[j].Hi {
				return true
			}
		}
	}
	return false
}

// overlap reports whether some range of x meets some range of y, for one thread, two distinct ones, or either. A
// single range stands for every thread.
func overlap(x, y []protocol.Range, w who) bool {
	if w.same && !w.distinct && len(x) > 1 && len(y) > 1 {
		for i := range x {
			if max(x[i].Lo, y[i].Lo) < min(x[i].Hi, y[i].Hi) {
				return true
			}
		}
		return false
	}
	any := w.same || len(x) == 1 || len(y) == 1
	if ascending(x) && ascending(y) {
		return merged(x, y, any)
	}
	if len(x)*len(y) <= 1024 {
		for i := range x {
			for j := range y {
				if (any || i != j) && max(x[i].Lo, y[j].Lo) < min(x[i].Hi, y[j].Hi) {
					return true
				}
			}
		}
		return false
	}
	return sweep(x, y, any)
}

// ascending reports whether each range ends before the next begins, as where threads have elements in their order.
func ascending(x []protocol.Range) bool {
	for i := 1; i < len(x); i++ {
		if x[i-1].Hi > x[i].Lo || x[i].Hi <= x[i].Lo {
			return false
		}
	}
	return len(x) > 0 && x[0].Lo < x[0].Hi
}

// merged is overlap for lists that ascend: each pair that meets is looked at, going through both at once.
func merged(x, y []protocol.Range, any bool) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		if (any || i != j) && max(x[i].Lo, y[j].Lo) < min(x[i].Hi, y[j].Hi) {
			return true
		}
		if x[i].Hi <= y[j].Hi {
			i++
		} else {
			j++
		}
	}
	return false
}

// sweep is overlap for long lists. Ranges of x by their end meet the ranges of y that start before it; of those only
// the two that reach furthest matter, as at most one of them belongs to the same thread.
func sweep(x, y []protocol.Range, any bool) bool {
	xs, ys := indices(x), indices(y)
	slices.SortFunc(xs, func(a, b int) int { return cmp.Or(cmp.Compare(x[a].Hi, x[b].Hi), cmp.Compare(a, b)) })
	slices.SortFunc(ys, func(a, b int) int { return cmp.Or(cmp.Compare(y[a].Lo, y[b].Lo), cmp.Compare(a, b)) })
	best, second, next := -1, -1, 0
	for _, i := range xs {
		for ; next < len(ys) && y[ys[next]].Lo < x[i].Hi; next++ {
			j := ys[next]
			switch {
			case best < 0 || y[j].Hi > y[best].Hi:
				best, second = j, best
			case second < 0 || y[j].Hi > y[second].Hi:
				second = j
			}
		}
		j := best
		if !any && j == i {
			j = second
		}
		if j >= 0 && y[j].Hi > x[i].Lo {
			return true
		}
	}
	return false
}

func indices(r []protocol.Range) []int {
	var out []int
	for i := range r {
		if r[i].Lo < r[i].Hi {
			out = append(out, i)
		}
	}
	return out
}

// clash is a conflict of one slot with another.
type clash struct {
	other int32
	need  int  // occupants of the slot: two when it conflicts with itself
	sure  bool // for the threads behind the two slots in any state that occupies both
	pair  engine.Pair
}

// maxClashes bounds the table of conflicts, and clashBytes is what each takes.
const (
	maxClashes = 1 << 20
	clashBytes = 96
)

// maxCompare bounds the ranges looked at for it.
const maxCompare = 1 << 26

// clashes tabulates, by slot, the conflicts with that slot and later ones; ok is false when there are too many.
//
// A counted state does not say which threads are where. Any threads can be the ones at two locations, so a conflict
// between two distinct threads there is certain. Who issued an operation in flight is known only in part: where the
// two threads behind a conflict must be the same, or must not be, and the class has several, the state leaves it
// open and the clash is not sure.
func clashes(p *protocol.Protocol, slot func(engine.Accessor) int, slots, most int) (table [][]clash, total int, ok bool) {
	table = make([][]clash, slots)
	work := 0
	for _, list := range accessors(p) {
		next := nextWrites(list)
		for i := range list {
			for j := i; j < len(list); j++ {
				if !list[i].Write {
					if j = next[j]; j == len(list) { // two reads never conflict
						break
					}
				}
				a, b := &list[i], &list[j]
				if work += 1 + len(a.Elements) + len(b.Elements); work > maxCompare {
					return nil, 0, false
				}
				w := conflict(p, a, b)
				if !w.same && !w.distinct {
					continue
				}
				if total++; total > most {
					return nil, 0, false
				}
				x, y := slot(a.Accessor), slot(b.Accessor)
				c := clash{other: int32(y), need: 1, sure: sure(a, b, w), pair: engine.Pair{First: a.Accessor, Second: b.Accessor}}
				if x == y && !w.same {
					c.need = 2
				}
				table[x] = append(table[x], c)
			}
		}
	}
	return table, total, true
}

func sure(a, b *accessor, w who) bool {
	if a.Class != b.Class || a.count == 1 || !a.InFlight && !b.InFlight || w.same && w.distinct {
		return true
	}
	// Only distinct threads can conflict: certain where one thread cannot be behind both.
	switch {
	case a.InFlight && b.InFlight:
		return a.Location == b.Location
	case a.InFlight:
		return b.Location <= a.Location
	}
	return a.Location <= b.Location
}
