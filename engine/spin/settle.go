package spin

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/protocol"
)

// clusterBarrier stands for the cluster barrier among the indices of named barriers.
const clusterBarrier = -1

// touched lists the named barriers, and the cluster barrier, that a thread's step at a location may complete: the one
// it registers in, and, where the step brings a thread to its end, those whose need an exit lowers, and so on for the
// threads these release.
func (b *builder) touched(c, l int) []int {
	found := map[int]bool{}
	var todo []int
	add := func(i int) {
		if !found[i] && (i == clusterBarrier && b.cluster || i >= 0 && b.named[i] != nil) {
			found[i] = true
			todo = append(todo, i)
		}
	}
	exits := func(cta int) {
		add(clusterBarrier)
		for i, n := range b.p.Named {
			if n.CTA == cta && n.Threads == 0 {
				add(i)
			}
		}
	}
	class := b.classes[c].class
	switch op := class.Ops[l]; op.Kind {
	case protocol.NamedArrive, protocol.NamedSync:
		add(op.Object)
	}
	if l+1 == len(class.Ops) && class.Ops[l].Kind != protocol.NamedSync {
		exits(class.CTA)
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		if i == clusterBarrier {
			continue
		}
		for j := range b.classes {
			pl := &b.classes[j]
			if last := pl.end() - 1; last >= 0 && pl.class.Ops[last].Kind == protocol.NamedSync && pl.class.Ops[last].Object == i {
				exits(pl.class.CTA)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// settle completes the barriers of a CTA and its cluster among those touched that have all they need, until none has.
func (b *builder) settle(cta int, touched []int) []stmt {
	var loop repeat
	for _, i := range touched {
		if i == clusterBarrier {
			loop = append(loop, b.generation(cta))
			continue
		}
		loop = append(loop, b.released(i))
	}
	switch len(loop) {
	case 0:
		return nil
	case 1: // completing it empties it, so it completes once
		return []stmt{loop[0]}
	}
	return []stmt{loop}
}

// generation is the completion of the barrier of a CTA's cluster.
func (b *builder) generation(cta int) branch {
	g := b.group(cta)
	alive := b.alive(func(other int) bool { return b.group(other) == g })
	return branch{
		guard: allOf(is(alive, ">", number(0)), is(get(b.arrived[g]), "==", alive)),
		body:  []stmt{plus(get(b.gen[g]), 1), assign{get(b.arrived[g]), number(0)}},
	}
}

// released is the completion of one named barrier: every thread blocked in it moves past its sync.
func (b *builder) released(i int) branch {
	n, r := b.p.Named[i], get(b.named[i])
	full := is(r, ">=", number(n.Threads))
	if n.Threads == 0 {
		full = allOf(is(r, ">", number(0)), is(r, ">=", b.alive(func(cta int) bool { return cta == n.CTA })))
	}
	body := []stmt{assign{r, number(0)}}
	for c := range b.classes {
		pl := &b.classes[c]
		for l, op := range pl.class.Ops {
			if op.Kind != protocol.NamedSync || op.Object != i {
				continue
			}
			if l+1 == pl.end() && b.cluster {
				body = append(body, b.leave(pl, pl.count(pl.blocked[l]))...)
			}
			body = append(body, pl.moveAll(pl.blocked[l], l+1)...)
		}
	}
	return branch{guard: full, body: body}
}

// leave takes n threads that reach their end off the count of those that arrived in the cluster barrier's current
// generation: it counts only threads that have not exited.
func (b *builder) leave(pl *places, n expr) []stmt {
	last := pl.arrives[pl.end()]
	if last == 0 {
		return nil
	}
	g := b.group(pl.class.CTA)
	return []stmt{branch{
		guard: is(get(b.gen[g]), "<", number(last)),
		body:  []stmt{assign{get(b.arrived[g]), binary{"-", get(b.arrived[g]), n}}},
	}}
}
