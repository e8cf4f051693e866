package causality

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// # Locks
//
// What a thread does between the swap that takes a lock (protocol.Lock) and the store that gives it back is its section.
//
// Sections of a lock whose swaps acquire and whose stores release, in scopes that include all who take it, are ordered: a swap that succeeds reads
// free, which is at first there, or was stored before any takes it, or by the one whose section was last. By atomicity (PTX ISA 8.9.6) nothing comes
// between the two in coherence order, in which by induction sections follow each other; each swap observes the store of the section before, and so the
// store synchronizes with it. Two accesses in sections of one such lock are no race.
//
// Whether they are in sections of others is asked of a litmus test of the two sections. Where the threads of a protocol come to nothing but barriers of their CTAs and
// warps, and to locks, with no barrier in a section, an execution of the test is a part of one of the whole: two sections that no barriers order are
// neighbours in some order in which sections come one after the other, each as a whole, and what the one hands on to the other is then by
// the operations of the two alone. Fences are in the order of the operations that they are next to; what they make of others is beyond them, and
// so not in a section that has but its swap and its store.

// locks are the flags of a protocol that are locks, and free before they are taken.
type locks struct {
	*edges
	free     map[int]int              // what each holds that nobody has
	orders   map[int]bool             // those whose swaps and stores order sections
	sections bool                     // every operation is one on a lock, or a barrier, and none of these is in a section
	apart    bool                     // threads of a CTA may share sections
	within   map[*protocol.Access]int // the lock in whose section an access is, by number: one of its thread, or of its CTA
}

// section is the longest part of a thread that lies between the swap of a lock and the store by which it is given back.
type section struct{ first, last int } // the operations

func newLocks(e *edges) *locks {
	k := &locks{edges: e, free: map[int]int{}, orders: map[int]bool{}, sections: true, within: map[*protocol.Access]int{}}
	if rest := e.p.WithoutLocks(); rest != nil {
		k.apart = rest.Apart
		for at, origin := range rest.Origin {
			if lock := rest.Classes[at[0]].Blocks[at[1]][at[2]].Lock; lock != 0 {
				k.within[&e.p.Classes[at[0]].Blocks[origin[0]][origin[1]]] = max(lock, -lock) - 1
			}
		}
	}
	for flag, lock := range e.p.Locks() {
		if k.keeps(flag, lock) {
			k.free[flag] = lock.Free
		}
	}
	for c := range e.p.Classes {
		depth := 0
		for l := range e.p.Classes[c].Ops {
			o := &e.p.Classes[c].Ops[l]
			_, lock := k.free[o.Object]
			switch lock = lock && o.Kind.OfFlag(); {
			case o.Kind == protocol.NamedSync:
				k.sections = k.sections && depth == 0
			case lock && o.Kind == protocol.FlagSwap:
				depth++
			case lock:
				depth = max(depth-1, 0)
			default:
				k.sections = false
			}
		}
	}
	return k
}

// keeps reports whether what makes a lock free at first comes before all that take it, and takes note of whether it orders sections.
func (k *locks) keeps(flag int, lock protocol.Lock) bool {
	var inits, swaps, stores []place
	for c := range k.p.Classes {
		has := false
		for l := range k.p.Classes[c].Ops {
			switch o := &k.p.Classes[c].Ops[l]; {
			case !o.Kind.OfFlag() || o.Object != flag:
			case o.Kind == protocol.FlagSwap:
				has = true
				swaps = append(swaps, place{c, l})
			case has:
				has = false
				stores = append(stores, place{c, l})
			default:
				inits = append(inits, place{c, l})
			}
		}
	}
	if len(inits) == 0 && lock.Init {
		return false
	}
	for _, i := range inits {
		for _, s := range swaps {
			for n := range k.p.Classes[i.class].Count {
				for m := range min(k.p.Classes[s.class].Count, 2) {
					a, b := thread{i.class, n}, thread{s.class, m}
					if a == b {
						if i.op > s.op {
							return false
						}
					} else if _, after := k.chain(a, i.op, b, s.op, noFlag); !after {
						return false
					}
				}
			}
		}
	}
	k.orders[flag] = !slices.ContainsFunc(swaps, func(s place) bool {
		return slices.ContainsFunc(stores, func(o place) bool { return !k.synchronize(o, s) })
	})
	return true
}

// synchronize reports whether a store that a swap reads synchronizes with it.
func (k *locks) synchronize(store, swap place) bool {
	return k.releases(store, swap.class) && k.acquires(swap, store.class)
}

// releases reports whether a store releases, to threads of a class.
func (k *locks) releases(store place, to int) bool {
	s := k.op(store)
	return (s.Order == "release" || s.Order == "acq_rel") && k.reaches(s.Scope, store.class, to)
}

// acquires reports whether a swap acquires, from threads of a class.
func (k *locks) acquires(swap place, from int) bool {
	s := k.op(swap)
	return (s.Order == "acquire" || s.Order == "acq_rel") && k.reaches(s.Scope, swap.class, from)
}

// around is the section that what a thread does before an operation is in, and the locks that it has there.
func (k *locks) around(class, at int) (s section, has []int, in bool) {
	ops := k.p.Classes[class].Ops
	s = section{-1, len(ops)}
	var held []int
	for l := 0; l < len(ops); l++ {
		o := &ops[l]
		if l == at {
			has = slices.Clone(held)
			in = len(held) > 0
		}
		if _, lock := k.free[o.Object]; !lock || !o.Kind.OfFlag() {
			continue
		}
		switch o.Kind {
		case protocol.FlagSwap:
			if len(held) == 0 && l < at {
				s.first = l
			}
			held = append(held, o.Object)
		case protocol.FlagStore:
			n := slices.Index(held, o.Object)
			if n < 0 {
				continue
			}
			if held = slices.Delete(held, n, n+1); len(held) == 0 && l >= at {
				s.last = l
				return s, has, in
			}
		}
	}
	return s, has, in
}

// guarded decides two accesses of two threads that nothing but locks may order.
func (k *checker) guarded(u, v use, a, b thread) (Answer, bool) {
	l := k.locks
	if len(l.free) == 0 {
		return Answer{}, false
	}
	if lock, in := l.within[u.access]; in && l.orders[lock] && (!l.apart || k.p.Classes[u.class].CTA != k.p.Classes[v.class].CTA) {
		if other, too := l.within[v.access]; too && other == lock {
			return Answer{Verdict: engine.Holds}, true
		}
	}
	s, mine, in := l.around(u.class, u.at)
	t, theirs, too := l.around(v.class, v.at)
	if !in || !too {
		return Answer{}, false
	}
	for _, lock := range mine {
		if slices.Contains(theirs, lock) && l.orders[lock] {
			return Answer{Verdict: engine.Holds}, true
		}
	}
	if !l.sections || k.p.Fenced || k.p.Beyond && (s.last > s.first+1 || t.last > t.first+1) {
		return Answer{}, false
	}
	c := &cut{checker: k}
	for i, side := range []struct {
		thread
		section
	}{{a, s}, {b, t}} {
		c.part(side.thread)
		for n := side.first; n <= side.last; n++ {
			c.ops[i] = append(c.ops[i], n)
		}
	}
	text := c.text(u, v, a, b)
	if k.seen[text] {
		return Answer{Verdict: engine.Holds}, true
	}
	r, err := k.solve(text)
	switch {
	case err != nil:
		return Answer{How: err.Error()}, true
	case r.Verdict == memory.Fail:
		out := Answer{Verdict: engine.Violated, How: "memory, " + k.model.Name + ": two sections of a lock, the one after the other, are not ordered", Litmus: text}
		out.Lock = l.lacks(a, b, s, t)
		var w strings.Builder
		for i, t := range c.threads {
			fmt.Fprintf(&w, "P%d is %s, on GPU %d\n", i, k.named(t), k.gpu(t.class))
		}
		out.Example = w.String() + "an execution with a data race:\n" + r.Witness.Text()
		return out, true
	}
	return Answer{How: "two sections of locks are ordered where they are neighbours, and whether they always are is not known"}, true
}

// Lock is what two sections lack to be ordered by a lock that both are of.
type Lock struct {
	Name     string          // "" if they are of none
	Acquires []protocol.Site // swaps that do not acquire what the other section releases
	Releases []protocol.Site // stores that do not release it
	Shared   bool            // threads of one CTA are behind them
}

// lacks says what two sections lack.
func (k *locks) lacks(a, b thread, s, t section) (out Lock) {
	add := func(list *[]protocol.Site, at place) {
		if site := k.p.Sites[k.op(at).Site]; !slices.Contains(*list, site) {
			*list = append(*list, site)
		}
	}
	out.Shared = k.p.Classes[a.class].CTA == k.p.Classes[b.class].CTA
	sides := []struct {
		thread
		section
	}{{a, s}, {b, t}}
	for i, mine := range sides {
		other := sides[1-i]
		for l := mine.first; l <= mine.last; l++ {
			at := place{mine.class, l}
			o := k.op(at)
			if !slices.ContainsFunc(k.p.Classes[other.class].Ops[other.first:other.last+1], func(q protocol.Op) bool { return q.Kind.OfFlag() && q.Object == o.Object }) {
				continue
			}
			switch out.Name = k.p.Flags[o.Object].Name; {
			case o.Kind == protocol.FlagSwap && !k.acquires(at, other.class):
				add(&out.Acquires, at)
			case o.Kind == protocol.FlagStore && !k.releases(at, other.class):
				add(&out.Releases, at)
			}
		}
	}
	return out
}
