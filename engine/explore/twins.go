package explore

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Warps of one role are classes of their own where each has a barrier of its own: the threads of warp 3 meet at the barrier
// of warp 3. Exchanging two such warps with their barriers leaves M as it is. Then a run with a thread of the one frozen is
// the run with a thread of the other frozen, with the warps exchanged, and so is what is judged of it: the conditions say
// nothing of which elements of a buffer an access touches, and of objects they ask what the exchange keeps. One run serves
// both. Races are decided pair by pair as ever, from how far each run lets everyone get.

// exchange is a permutation of M, its own inverse. Classes and objects that are not in it stay.
type exchange struct {
	class, mbar, named map[int]int
	todo               [][2]int // pairs of classes to compare
}

// users are the classes that use each object of one kind.
type users [][]int

// twins gives each class an exchange that takes an earlier class to it, nil where there is none.
func (pr *proof) twins() (of []*exchange, like []int) {
	n := len(pr.p.Classes)
	of, like = make([]*exchange, n), make([]int, n)
	mbars, named := make(users, len(pr.p.Mbars)), make(users, len(pr.p.Named))
	for c := range pr.p.Classes {
		for l := range pr.p.Classes[c].Ops {
			o := &pr.p.Classes[c].Ops[l]
			switch {
			case o.Kind == protocol.NamedArrive || o.Kind == protocol.NamedSync:
				named.note(o.Object, c)
			case usesMbar(o.Kind):
				mbars.note(o.Object, c)
			}
			for _, e := range o.Effects {
				mbars.note(e.Mbar, c)
			}
		}
	}
	for d := range n {
		for c := range d {
			if of[c] == nil && pr.alike(c, d) {
				if x := pr.exchange(c, d, mbars, named); x != nil {
					of[d], like[d] = x, c
					break
				}
			}
		}
	}
	return of, like
}

// note adds a class, in order.
func (u users) note(o, c int) {
	if n := len(u[o]); n == 0 || u[o][n-1] != c {
		u[o] = append(u[o], c)
	}
}

func usesMbar(k protocol.Kind) bool {
	switch k {
	case protocol.Init, protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop, protocol.ExpectTx, protocol.CompleteTx, protocol.Wait:
		return true
	}
	return false
}

// alike compares what is cheap to compare. That positions in the programs mean the same follows from the operations and
// phases that are compared; it is what mirror relies on.
func (pr *proof) alike(c, d int) bool {
	a, b := &pr.p.Classes[c], &pr.p.Classes[d]
	return a.CTA == b.CTA && a.Count == b.Count && len(a.Ops) == len(b.Ops) && len(pr.progs[c].micros) == len(pr.progs[d].micros) &&
		pr.progs[c].end == pr.progs[d].end && slices.Equal(pr.progs[c].first, pr.progs[d].first)
}

// exchange finds the permutation that takes class c to d and back, with all that follows from it; nil if there is none.
func (pr *proof) exchange(c, d int, mbars, named users) *exchange {
	x := &exchange{map[int]int{}, map[int]int{}, map[int]int{}, nil}
	if !x.pair(c, d) {
		return nil
	}
	for len(x.todo) > 0 {
		a, b := x.todo[0][0], x.todo[0][1]
		x.todo = x.todo[1:]
		pr.spend(len(pr.p.Classes[a].Ops) / pairsPerMicro)
		if !pr.alike(a, b) {
			return nil
		}
		for l := range pr.p.Classes[a].Ops {
			if !pr.sameOps(x, a, b, l) {
				return nil
			}
		}
		for l := range pr.p.Classes[a].Blocks {
			if !sameBuffers(pr.p.Classes[a].Blocks[l], pr.p.Classes[b].Blocks[l]) {
				return nil
			}
		}
		if !x.follow(x.mbar, mbars) || !x.follow(x.named, named) {
			return nil
		}
	}
	return x
}

// pair exchanges two classes.
func (x *exchange) pair(c, d int) bool {
	before := len(x.class)
	if !swap(x.class, c, d) {
		return false
	}
	if len(x.class) > before {
		x.todo = append(x.todo, [2]int{c, d})
	}
	return true
}

// swap adds a pair to a permutation, or reports that it has another one.
func swap(m map[int]int, a, b int) bool {
	was, ok := m[a]
	back, known := m[b]
	if ok || known {
		return ok && known && was == b && back == a
	}
	m[a], m[b] = b, a
	return true
}

// follow exchanges the classes that use objects that are exchanged, in the order of the classes.
func (x *exchange) follow(objects map[int]int, by users) bool {
	for _, o := range slices.Sorted(maps.Keys(objects)) {
		p := objects[o]
		if o == p {
			continue
		}
		if len(by[o]) != len(by[p]) {
			return false
		}
		for i := range by[o] {
			if !x.pair(by[o][i], by[p][i]) {
				return false
			}
		}
	}
	return true
}

// sameOps compares the operations of two classes at a location, and exchanges the objects in which they differ.
func (pr *proof) sameOps(x *exchange, a, b, l int) bool {
	p, q := &pr.p.Classes[a].Ops[l], &pr.p.Classes[b].Ops[l]
	if !equal(p, q) || !sameBuffers(p.Access, q.Access) {
		return false
	}
	switch {
	case p.Kind == protocol.NamedArrive || p.Kind == protocol.NamedSync:
		if pr.p.Named[p.Object].Threads != pr.p.Named[q.Object].Threads || pr.registers[[2]int{a, l}] != pr.registers[[2]int{b, l}] ||
			!swap(x.named, p.Object, q.Object) {
			return false
		}
	case usesMbar(p.Kind):
		if !pr.sameMbar(x, p.Object, q.Object) || p.Kind == protocol.Wait && pr.canon.WaitPhase(a, l) != pr.canon.WaitPhase(b, l) {
			return false
		}
	case p.Object != q.Object:
		return false
	}
	if !slices.EqualFunc(p.Effects, q.Effects, func(e, f protocol.Effect) bool {
		return e.Bytes == f.Bytes && e.Arrivals == f.Arrivals && pr.sameMbar(x, e.Mbar, f.Mbar)
	}) {
		return false
	}
	return slices.EqualFunc(pr.contributions(a, l), pr.contributions(b, l), func(p, q contribution) bool {
		q.mbar = p.mbar // compared above
		return p == q
	})
}

// equal compares what is neither an object nor an access.
func equal(p, q *protocol.Op) bool {
	return p.Kind == q.Kind && p.Count == q.Count && p.Bytes == q.Bytes && p.Parity == q.Parity && p.Compare == q.Compare && slices.Equal(p.Drains, q.Drains)
}

func (pr *proof) sameMbar(x *exchange, o, p int) bool {
	m, n := pr.p.Mbars[o], pr.p.Mbars[p]
	return m.CTA == n.CTA && m.Count == n.Count && swap(x.mbar, o, p)
}

// sameBuffers compares the buffers of accesses.
func sameBuffers(a, b []protocol.Access) bool {
	return slices.EqualFunc(a, b, func(p, q protocol.Access) bool { return p.Buffer == q.Buffer })
}

// mirror says of class d what the runs have shown of c, which an exchange takes to it.
func (pr *proof) mirror(x *exchange, c, d int) {
	pr.witness.mirror(x, c, d, len(pr.p.Classes[c].Blocks))
	for l := range pr.p.Classes[c].Blocks {
		for _, flying := range []bool{false, true} {
			r, ok := pr.reach[engine.Accessor{Class: c, Location: l, InFlight: flying}]
			if !ok {
				continue
			}
			if pr.crowded() {
				return
			}
			to := reach{bulk: slices.Clone(r.bulk), self: r.self}
			for e, other := range x.class {
				to.bulk[e] = r.bulk[other]
			}
			pr.reach[engine.Accessor{Class: d, Location: l, InFlight: flying}] = to
		}
	}
	for o, p := range x.mbar {
		if pr.strays[o] {
			pr.strays[p] = true
		}
	}
	for at := range maps.Clone(pr.ahead) {
		if e, ok := x.class[at.class]; ok {
			pr.ahead[place{e, at.loc, at.k}] = true
		}
	}
}
