package explore

import (
	"cmp"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
)

// candidate is a pair of conflicting accesses that single frozen runs do not show to be ordered.
type candidate struct {
	a, b engine.Accessor
	same bool // one thread is behind both: its operation in flight or pending and itself, or two of its operations
}

// maxCandidates bounds the pairs that get a run of their own.
const maxCandidates = 1 << 16

// races looks for two conflicting accesses that can happen at once. Where the run with one side frozen does not let
// the other side be reached, the pair is ordered; the rest is decided by runs with both sides frozen.
func (pr *proof) races() {
	var list []candidate
	for _, as := range accessors(pr.p) {
		as = pr.reachable(as)
		next := nextWrites(as)
		for i := range as {
			if !as[i].Write && next[i] == len(as) {
				continue
			}
			pr.spend((len(as) - i) / pairsPerMicro)
			if pr.late() {
				return
			}
			for j := i; j < len(as); j++ {
				if !as[i].Write {
					if j = next[j]; j == len(as) { // two reads never conflict
						break
					}
				}
				if list = pr.candidates(list, &as[i], &as[j]); len(list) > maxCandidates {
					pr.unsure[protocol.Race] = limit.Size.Says("too many pairs of accesses to order one by one")
					return
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Compare(x.a.Location+x.b.Location, y.a.Location+y.b.Location)
	})
	for n, c := range list {
		if n%16 == 0 && pr.late() {
			return
		}
		steps, yes := pr.together(c)
		if !yes {
			continue
		}
		if pr.claim(protocol.Race, steps, &engine.Pair{First: c.a, Second: c.b}) {
			return
		}
		pr.unsure[protocol.Race] = limit.Unshown.Says("two accesses may happen at once, but no run shows it")
	}
}

// pairsPerMicro is how many pairs of accesses are compared in the time of a micro.
const pairsPerMicro = 4

// reachable keeps the accesses that are reached at all, with who gets where while they go on.
func (pr *proof) reachable(as []accessor) []accessor {
	out := as[:0]
	for _, a := range as {
		r, ok := pr.reach[a.site()]
		if a.reach = r; ok {
			out = append(out, a)
		}
	}
	return out
}

// nextWrites gives, for each accessor, the first one from it on that writes; len(as) where none does.
func nextWrites(as []accessor) []int {
	next := make([]int, len(as))
	at := len(as)
	for i := len(as) - 1; i >= 0; i-- {
		if as[i].Write {
			at = i
		}
		next[i] = at
	}
	return next
}

// candidates adds the pairs that two accessors make and single runs leave open.
func (pr *proof) candidates(list []candidate, a, b *accessor) []candidate {
	if !a.Write && !b.Write {
		return list
	}
	ra, rb := &a.reach, &b.reach
	apart := pr.reached(ra.bulk[b.Class], b) && pr.reached(rb.bulk[a.Class], a)
	own := a.Class == b.Class && (a.InFlight && pr.reached(ra.self, b) || b.InFlight && pr.reached(rb.self, a) || a.Location == b.Location && (a.Pending || b.Pending))
	if !apart && !own {
		return list
	}
	w := conflict(pr.p, a, b)
	if apart && w.distinct {
		list = append(list, candidate{a: a.Accessor, b: b.Accessor})
	}
	if own && w.same {
		list = append(list, candidate{a: a.Accessor, b: b.Accessor, same: true})
	}
	return list
}

// site is the accessor without the index, which is what runs depend on.
func (a *accessor) site() engine.Accessor {
	return engine.Accessor{Class: a.Class, Location: a.Location, InFlight: a.InFlight}
}

// reached reports whether a thread that gets to pos gets to the access.
func (pr *proof) reached(pos int32, a *accessor) bool {
	at := pr.progs[a.Class].first[a.Location]
	if a.InFlight {
		at++
	}
	return int(pos) >= at
}

// together runs M with both sides of a pair frozen. An operation that is to stay in flight is issued as late as
// possible, when everything that does not depend on it has happened: a Drain that passes before it is issued would
// not pass after.
func (pr *proof) together(c candidate) ([]engine.Step, bool) {
	pr.runs++
	if c.same {
		return pr.alone(c)
	}
	at := func(a engine.Accessor) int { return pr.progs[a.Class].first[a.Location] }
	if c.a.Class == c.b.Class && pr.p.Classes[c.a.Class].Count < 2 {
		return nil, false
	}
	w := pr.newWorld(group{c.a.Class, 1, 0, at(c.a)}, group{c.b.Class, 1, 0, at(c.b)})
	n := len(w.groups) - 2
	sides, issued := [2]engine.Accessor{c.a, c.b}, [2]bool{}
	for again := true; again; {
		again = false
		w.run()
		for i, a := range sides {
			g := &w.groups[n+i]
			if a.InFlight && !issued[i] && g.pos == at(a) {
				g.limit = free
				issued[i] = w.advance(n+i, false)
				again = again || issued[i]
			}
		}
	}
	for i, a := range sides {
		if a.InFlight && !issued[i] || !a.InFlight && w.groups[n+i].pos != at(a) {
			return nil, false
		}
	}
	return w.trace(), true
}

// alone runs M with one thread's operation kept in flight until the thread is at its other access.
func (pr *proof) alone(c candidate) ([]engine.Step, bool) {
	first, second := c.a, c.b
	if !first.InFlight || second.InFlight && second.Location < first.Location {
		first, second = second, first
	}
	prog := &pr.progs[first.Class]
	w := pr.newWorld(group{first.Class, 1, 0, prog.first[first.Location]})
	n := len(w.groups) - 1
	w.run()
	if w.groups[n].pos != w.groups[n].limit {
		return nil, false
	}
	if !first.InFlight && !second.InFlight {
		return w.trace(), true
	}
	w.groups[n].limit = prog.first[second.Location]
	if !w.advance(n, false) {
		return nil, false
	}
	w.run()
	if w.groups[n].pos != w.groups[n].limit {
		return nil, false
	}
	if second.InFlight {
		w.groups[n].limit = free
		ok := w.advance(n, false)
		return w.trace(), ok
	}
	return w.trace(), true
}
