package causality

import (
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// edges are the operations from which others may learn, by what they are about.
type edges struct {
	p       *protocol.Protocol
	gather  map[gathering][]place // who is in a generation of a barrier
	in      map[place]gathering   // the same, by operation
	stores  map[int][]place       // to a flag
	spins   map[int][]place       // on a flag
	mixed   map[int]bool          // flags that are added to
	partial bool                  // there are operations that order and that are not followed
	initial []int                 // what flags hold at first, or when threads begin to use them
}

// place is an operation of a class.
type place struct{ class, op int }

// gathering is a generation of a barrier: the nth use of a barrier of a CTA, or of a counter that stands for the grid's.
type gathering struct {
	flag   bool
	object int
	nth    int
}

// hop is a step of a chain from one thread to another: what the one executes, and what the other does.
type hop struct {
	from, to   thread
	left, come int // operations
}

func newEdges(p *protocol.Protocol) *edges {
	e := &edges{p: p, gather: map[gathering][]place{}, in: map[place]gathering{}, stores: map[int][]place{}, spins: map[int][]place{}, mixed: map[int]bool{}}
	for c := range p.Classes {
		uses := map[gathering]int{}
		for l := range p.Classes[c].Ops {
			o, at := &p.Classes[c].Ops[l], place{c, l}
			g := gathering{flag: o.Order == protocol.Barrier, object: o.Object}
			switch {
			case g.flag:
			case o.Kind == protocol.NamedSync && (p.Named[o.Object].Threads == 0 || p.Named[o.Object].ID >= protocol.WarpBarrier):
				// All live threads of the CTA meet, or all lanes of a mask, so a thread's nth use is in the nth generation (engine/explore).
			case o.Kind == protocol.FlagStore && known(o, "release"):
				e.stores[o.Object] = append(e.stores[o.Object], at)
				continue
			case o.Kind == protocol.Spin && known(o, "acquire") && (o.Compare == "==" || o.Compare == ">=" || o.Compare == ">" || o.Compare == "!="):
				e.spins[o.Object] = append(e.spins[o.Object], at)
				continue
			case o.Kind == protocol.FlagSwap: // see locks
				e.mixed[o.Object] = true
				continue
			default:
				e.mixed[o.Object] = e.mixed[o.Object] || o.Kind == protocol.FlagAdd
				e.partial = e.partial || o.Kind != protocol.Init
				continue
			}
			n := uses[g]
			if uses[g]++; o.Kind == protocol.NamedSync && o.Order == "relaxed" { // lanes meet, and their memory does not
				e.partial = true
				continue
			}
			if g.flag {
				n /= 2 // an arrival and a wait
			}
			g.nth = n
			e.gather[g] = append(e.gather[g], at)
			e.in[at] = g
		}
	}
	for f := range p.Flags {
		e.initial = append(e.initial, e.holds(f))
	}
	return e
}

// holds is what a flag holds at first; of one of which that is not known, what is stored to it before all else that is done to it. Nothing can read what was there before.
func (e *edges) holds(flag int) int {
	if e.p.Flags[flag].Initial != protocol.Unknown {
		return e.p.Flags[flag].Initial
	}
	var all []place
	for c := range e.p.Classes {
		for l := range e.p.Classes[c].Ops {
			if o := &e.p.Classes[c].Ops[l]; o.Kind.OfFlag() && o.Object == flag {
				all = append(all, place{c, l})
			}
		}
	}
	for _, first := range all {
		if e.op(first).Kind == protocol.FlagStore && e.p.Classes[first.class].Count == 1 && !slices.ContainsFunc(all, func(o place) bool { return o != first && !e.comesBefore(first, o) }) {
			return e.op(first).Count
		}
	}
	return protocol.Unknown
}

// comesBefore reports whether barriers put an operation of the only thread of a class before one of other threads.
func (e *edges) comesBefore(first, then place) bool {
	if first.class == then.class {
		return first.op < then.op
	}
	for n := range min(e.p.Classes[then.class].Count, 2) {
		if _, after := e.chain(thread{first.class, 0}, first.op, thread{then.class, n}, then.op, noFlag); !after {
			return false
		}
	}
	return true
}

// noFlag takes no flag: barriers alone order.
func noFlag(*edges, place, place) bool { return false }

// strength says which flags order.
type strength func(e *edges, store, poll place) bool

// anyOrder takes every store that a poll waits for.
func anyOrder(*edges, place, place) bool { return true }

// strict takes releases and acquires of which each scope includes the other's thread (PTX ISA 8.7, 8.8).
func strict(e *edges, store, poll place) bool {
	s, q := e.op(store), e.op(poll)
	return s.Order == "release" && q.Order == "acquire" && e.reaches(s.Scope, store.class, poll.class) && e.reaches(q.Scope, store.class, poll.class)
}

func (e *edges) op(at place) *protocol.Op { return &e.p.Classes[at.class].Ops[at.op] }

// reaches reports whether a scope of a thread of one class includes the threads of another.
func (e *edges) reaches(scope string, c, d int) bool {
	switch scope {
	case "sys":
		return true
	case "gpu":
		return e.gpu(c) == e.gpu(d)
	case "cta":
		return e.p.Classes[c].CTA == e.p.Classes[d].CTA
	}
	return false
}

func (e *edges) gpu(class int) int {
	return e.p.Classes[class].CTA / (e.p.CTAs / max(1, e.p.GPUs))
}

// satisfies reports whether a poll passes with the value that a store leaves.
func satisfies(poll, store *protocol.Op) bool {
	switch poll.Compare {
	case "==":
		return store.Count == poll.Count
	case ">=":
		return store.Count >= poll.Count
	case ">":
		return store.Count > poll.Count
	case "!=":
		return store.Count != poll.Count
	}
	return false
}

// follows lists where what a thread does up to an operation is known: behind which operations of others.
func (e *edges) follows(at place, take strength) []place {
	var out []place
	if g, ok := e.in[at]; ok {
		if o := e.op(at); g.flag && o.Kind != protocol.FlagAdd {
			return nil // it has arrived before
		}
		for _, to := range e.gather[g] {
			if o := e.op(to); o.Kind != protocol.FlagAdd {
				out = append(out, to)
			}
		}
		return out
	}
	o := e.op(at)
	if o.Kind != protocol.FlagStore || e.mixed[o.Object] {
		return nil
	}
	for _, to := range e.spins[o.Object] {
		if satisfies(e.op(to), o) && take(e, at, to) {
			out = append(out, to)
		}
	}
	return out
}

// chain finds the fewest hops from thread a, behind whose operation at the access stands, to thread b before its operation
// end. Of the classes between, any thread stands for all, as they execute the same operations.
func (e *edges) chain(a thread, at int, b thread, end int, take strength) ([]hop, bool) {
	type state struct {
		thread
		pos, back int
		hop       hop
	}
	list := []state{{thread: a, pos: at, back: -1}}
	best := map[thread]int{a: at}
	for i := 0; i < len(list); i++ {
		s := list[i]
		if s.pos > best[s.thread] {
			continue
		}
		for l := s.pos; l < len(e.p.Classes[s.class].Ops); l++ {
			for _, to := range e.follows(place{s.class, l}, take) {
				t := thread{to.class, 0}
				switch to.class {
				case b.class:
					t = b
				case a.class:
					t = a
				}
				if old, ok := best[t]; t == s.thread || ok && old <= to.op+1 {
					continue
				}
				best[t] = to.op + 1
				list = append(list, state{t, to.op + 1, i, hop{s.thread, t, l, to.op}})
				if t != b || to.op >= end {
					continue
				}
				var out []hop
				for n := len(list) - 1; list[n].back >= 0; n = list[n].back {
					out = append(out, list[n].hop)
				}
				slices.Reverse(out)
				return out, true
			}
		}
	}
	return nil, false
}

// known reports whether the order and the scope of an access to a flag are, and whether it is no exchange that acquires.
func known(o *protocol.Op, strong string) bool {
	switch o.Order {
	case "weak":
		return true
	case "relaxed", strong:
		return o.Scope == "cta" || o.Scope == "gpu" || o.Scope == "sys"
	}
	return false
}
