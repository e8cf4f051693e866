// Package causality says whether conflicting accesses of a protocol to memory are ordered under the memory model of
// PTX, which knows orders and scopes of flags that interleavings do not.
//
// # What is asked
//
// Two accesses of different threads to an element of memory conflict if one of them writes (protocol.Conflict). They
// are no race if in every execution one comes before the other in causality order (PTX ISA 8.9.5, 8.7.1). It is asked of
// protocols in which the interleaving engine has found no race and no hang, and where there are mbarriers of global memory alone.
//
// # How it is shown that they are ordered
//
// A chain from the one to the other is looked for in the programs: program order; barriers of a CTA and of the grid, from
// every arrival to every departure of a generation; stores to a flag, from a release to an acquire poll that waits for that
// value, if the scope of each includes the other's thread. The operations of a chain are cut out as a litmus test, with
// every store that one of its polls may read from, and all executions of it are searched (engine/memory). What is ordered
// in all executions of the cut is ordered in all of the protocol: package flagmatrix, cut.go, has the lemma and its proof.
// One thing is more here. The data read of a cut may, in an execution of the whole, read from a write that is not in the
// cut. Then let it read, in the cut, the write there if that is before it in causality order, and else the initial value:
// no axiom forbids that, and as weak accesses synchronize nothing and no operation depends on data, the causality order
// stays what it is.
//
// # How it is shown that they are not
//
// Take an interleaving of the whole that ends, in which each poll reads once, what it waits for. It is an execution under
// the model of PTX, as all are that are sequentially consistent. Its causality order is made of program order, of barriers,
// and of the releases that its acquires read from; the chains above are all that it can have, and more, as a poll for a
// bound is taken to have read from every store that satisfies it. (Weak and relaxed accesses synchronize only with fences.) So where there is no chain in either direction, the two
// accesses are not ordered in that execution: a data race. That takes that what the model leaves out would not order them
// either: where a thread executes fences, or an order is not known, nothing is said.
package causality

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Answer is what is known of a protocol.
type Answer struct {
	Verdict engine.Verdict
	How     string
	First   protocol.Site // of a violation: the two accesses
	Second  protocol.Site
	Example string // an execution of a cut, in lines
	Litmus  string // that cut
	Lock    Lock   // where they are in sections of locks
}

const asynchronous = "asynchronous operations access memory, which this does not follow"

// maxPairs bounds the pairs of accesses of one protocol that are looked at.
const maxPairs = 1 << 21

// thread is a thread of a class.
type thread struct{ class, index int }

// use is one access of the threads of a class.
type use struct {
	class, at int // behind how many operations
	access    *protocol.Access
}

// checker decides one protocol.
type checker struct {
	p     *protocol.Protocol
	ctx   context.Context
	model *memory.Model
	*edges
	locks *locks
	seen  map[string]bool // cuts that hold
	pairs int
}

// Check decides all pairs of conflicting accesses to global memory.
func Check(ctx context.Context, p *protocol.Protocol, model *memory.Model) Answer {
	if err := p.Validate(); err != nil {
		return Answer{How: err.Error()}
	}
	k := &checker{p: p, ctx: ctx, model: model, edges: newEdges(p), seen: map[string]bool{}}
	k.locks = newLocks(k.edges)
	if slices.ContainsFunc(p.Classes, func(c protocol.Class) bool {
		return slices.ContainsFunc(c.Ops, func(o protocol.Op) bool { return len(o.Access) > 0 })
	}) {
		return Answer{How: asynchronous}
	}
	byBuffer := make([][]use, len(p.Buffers))
	for c := range p.Classes {
		for l, block := range p.Classes[c].Blocks {
			for i := range block {
				if block[i].Async {
					return Answer{How: asynchronous}
				}
				if b := block[i].Buffer; p.Buffers[b].CTA < 0 || len(p.Mbars) == 0 {
					byBuffer[b] = append(byBuffer[b], use{c, l, &block[i]})
				}
			}
		}
	}
	for _, uses := range byBuffer {
		for i, u := range uses {
			for _, v := range uses[i:] {
				if !p.Conflict(protocol.Use{Access: u.access, Class: u.class}, protocol.Use{Access: v.access, Class: v.class}) {
					continue
				}
				if a, over := k.between(u, v); over {
					return a
				}
			}
		}
	}
	if k.pairs == 0 {
		return Answer{How: "of the accesses to memory that are known, no two conflict: nothing was asked"}
	}
	return Answer{Verdict: engine.Holds, How: fmt.Sprintf("memory, %s: %d pairs of conflicting accesses, %d cuts that differ", model.Name, k.pairs, len(k.seen))}
}

// between decides the pairs of threads that two uses make conflict.
func (k *checker) between(u, v use) (a Answer, over bool) {
	m, n := k.p.Classes[u.class].Count, k.p.Classes[v.class].Count
	for i := range m {
		for j := range n {
			if u.class == v.class && (i == j || u.access == v.access && j < i) || !overlap(element(u.access, i), element(v.access, j)) {
				continue
			}
			if k.pairs++; k.pairs > maxPairs {
				return Answer{How: fmt.Sprintf("more than %d pairs of conflicting accesses", maxPairs)}, true
			}
			if k.pairs%1024 == 0 && k.ctx.Err() != nil {
				return Answer{How: "stopped: " + k.ctx.Err().Error()}, true
			}
			if a := k.pair(u, v, thread{u.class, i}, thread{v.class, j}); a.Verdict != engine.Holds {
				a.First, a.Second = k.p.Sites[u.access.Site], k.p.Sites[v.access.Site]
				return a, true
			}
		}
	}
	return a, false
}

func element(a *protocol.Access, thread int) protocol.Range {
	if len(a.Elements) == 1 {
		return a.Elements[0]
	}
	return a.Elements[thread]
}

func overlap(a, b protocol.Range) bool { return a.Lo < b.Hi && b.Lo < a.Hi }

// pair decides two accesses of two threads.
func (k *checker) pair(u, v use, a, b thread) Answer {
	for _, swap := range []bool{false, true} {
		if swap {
			u, v, a, b = v, u, b, a
		}
		if chain, ok := k.chain(a, u.at, b, v.at, strict); ok {
			return k.decide(u, v, a, b, chain)
		}
	}
	if a, over := k.guarded(u, v, a, b); over {
		return a
	}
	loose := func() ([]hop, bool) {
		if chain, ok := k.chain(a, u.at, b, v.at, anyOrder); ok {
			return chain, true
		}
		u, v, a, b = v, u, b, a
		return k.chain(a, u.at, b, v.at, anyOrder)
	}
	switch chain, ok := loose(); {
	case k.p.Fenced || k.p.Beyond:
		return Answer{How: "a thread executes fences, which this does not follow"}
	case k.partial:
		return Answer{How: "no chain orders two accesses, and there are operations that this does not follow: mbarriers, counters, barriers of some threads, flags of an order that is not known"}
	case !ok:
		return Answer{How: "nothing that this follows orders two accesses, which interleavings do not show to be a race"}
	default:
		return k.show(u, v, a, b, chain)
	}
}
