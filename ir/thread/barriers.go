package thread

import (
	"fmt"

	"github.com/fencepost-dev/fencepost/ir"
)

// What a thread waits for: the kind, then of a named barrier its number, of lanes the mask.
const (
	forNothing = iota
	forNamed
	forLanes
	forCluster
	forGrid
	kindBits = 4
)

// What a thread has to do with the barrier of its cluster: it has arrived in this phase, or that phase is over and it has not waited.
// So with that of the grid, gridBits further up.
const (
	jointArrived = 1 + iota
	jointOver
	jointMask = 3
	gridBits  = 2
)

// namedBarriers is how many a CTA has (PTX ISA 9.7.13.1).
const namedBarriers = 16

// Objects of cells that are no memory: what named barriers and mbarriers count.
const (
	ofNamed = -1 - iota
	ofMbarriers
)

// await executes what waits for other threads, or lets them on.
func (e *thread) await(in *ir.Inst) error {
	if e.maybe {
		return e.decide(in, value{tag: e.doubt}, "whether it is executed is not known here")
	}
	switch in.Op {
	case ir.BarrierCTA:
		return e.named(in)
	case ir.BarrierCluster:
		return e.joint(in)
	case ir.Stop:
		return e.fail(in, in.Extra.Text)
	case ir.TensorAlloc:
		return e.fail(in, "this is not followed thread by thread")
	}
	mask := integer(-1)
	if in.Members != ir.None {
		mask = e.read(in.Members)
	}
	lane := e.t % e.block % ir.Lanes
	switch {
	case !mask.known():
		return e.decide(in, mask, "the mask of its lanes is not known here")
	case mask.n>>lane&1 == 0: // not defined (PTX ISA 9.7.9.6)
		return e.fail(in, fmt.Sprintf("lane %d executes it and is not in its mask", lane))
	}
	e.wait = forLanes | int64(uint32(mask.n))<<kindBits
	return nil
}

// named executes barrier.cta: the cell of the barrier has how many threads it counts, plus one, while some have arrived.
func (e *thread) named(in *ir.Inst) error {
	id, count := e.read(in.A), e.read(in.B)
	switch {
	case !id.known() || !count.known():
		return e.decide(in, unknown(id, count), "the operands of the barrier are not known here")
	case id.n < 0 || id.n >= namedBarriers || count.n < 0 || count.n%ir.Lanes != 0:
		return e.fail(in, "the operands of the barrier are out of range: PTX has barriers 0 to 15, which count whole warps")
	case count.n > 0 && e.launch.Fewer:
		return e.fail(in, fmt.Sprintf("it counts %d threads, and fewer are executed than are launched", count.n))
	}
	i, err := e.at(cell{ofNamed, e.cta(e.t), id.n})
	if err != nil {
		return err
	}
	arrived := &e.state[e.base+slotArrived]
	switch {
	case e.state[i] != 0 && e.state[i] != count.n+1:
		return e.fail(in, fmt.Sprintf("it counts %d threads where others count %d", count.n, e.state[i]-1))
	case *arrived>>id.n&1 != 0:
		return e.fail(in, "the thread has arrived at this barrier before, and it is not complete")
	}
	e.state[i] = count.n + 1
	e.arrived = true
	if in.Flags&ir.Arrives != 0 {
		*arrived |= 1 << id.n
		e.pc++
		return nil
	}
	e.wait = forNamed | id.n<<kindBits
	return nil
}

// joint executes barrier.cluster (PTX ISA 9.7.13.3), and that of the grid: an arrival, or a wait for the phase that was arrived in.
func (e *thread) joint(in *ir.Inst) error {
	at, wait := 0, int64(forCluster)
	if in.Scope == ir.ScopeGPU {
		at, wait = gridBits, forGrid
	}
	slot := &e.state[e.base+slotCluster]
	phase := *slot >> at & jointMask
	switch {
	case in.Flags&ir.Arrives == 0 && phase == 0, in.Flags&ir.Arrives != 0 && phase != 0:
		return e.fail(in, "arrive and wait do not take turns in this thread")
	case in.Flags&ir.Arrives != 0:
		*slot |= jointArrived << at
		e.arrived = true
	case phase == jointArrived:
		e.wait = wait
		return nil
	default:
		*slot &^= jointMask << at
	}
	e.pc++
	return nil
}

// gather lets on those who wait for what a thread has come to, or for one that has ended.
func (s *System) gather(state []int64, t int) error {
	first := s.cta(t) * s.block
	for id := int64(0); id < namedBarriers; id++ {
		if i, used := s.cells[cell{ofNamed, s.cta(t), id}]; used && state[s.threads*s.size+i] != 0 {
			if err := s.complete(state, first, id, &state[s.threads*s.size+i]); err != nil {
				return err
			}
		}
	}
	warp := first + (t-first)/ir.Lanes*ir.Lanes
	for u := warp; u < min(warp+ir.Lanes, first+s.block); u++ {
		if err := s.meet(state, warp, first+s.block, u); err != nil {
			return err
		}
	}
	size := s.launch.Cluster * s.block
	s.rendezvous(state, t/size*size, size, 0, forCluster)
	s.rendezvous(state, 0, s.threads, gridBits, forGrid)
	return nil
}

// rendezvous ends the phase of the barrier of a cluster when all threads that have not ended have arrived (PTX ISA 9.7.13.3), and of that of the grid when all have: one
// that has ended never comes.
func (s *System) rendezvous(state []int64, from, size, at int, waiting int64) {
	met := false
	for u := from; u < from+size; u++ {
		here := state[u*s.size+slotCluster]>>at&jointMask == jointArrived
		if met = met || here; !here && (waiting == forGrid || !s.Ended(state, u)) {
			return
		}
	}
	for u := from; u < from+size && met; u++ {
		if s.Ended(state, u) {
			continue
		}
		slot := &state[u*s.size+slotCluster]
		if *slot = *slot&^(jointMask<<at) | jointOver<<at; state[u*s.size+slotWait] == waiting {
			*slot &^= jointMask << at
			s.release(state, u, nil)
		}
	}
}

// complete ends a generation of a named barrier when enough have arrived: a warp counts as a whole once all its threads that have not
// ended are there, else by its threads (PTX ISA 9.7.13.1). That a thread has arrived and not waited stays so when it has ended.
func (s *System) complete(state []int64, first int, id int64, counts *int64) error {
	here := func(u int) bool {
		own := state[u*s.size:]
		return own[slotWait] == forNamed|id<<kindBits || own[slotArrived]>>id&1 != 0
	}
	n, everyone := int64(0), true
	for warp := first; warp < first+s.block; warp += ir.Lanes {
		some, all := int64(0), true
		for u := warp; u < min(warp+ir.Lanes, first+s.block); u++ {
			if here(u) {
				some++
			}
			all = all && (here(u) || s.Ended(state, u))
		}
		if everyone = everyone && all; some > 0 && all {
			some = ir.Lanes
		}
		n += some
	}
	if need := *counts - 1; n == 0 || need > 0 && n < need || need == 0 && !everyone {
		return nil
	}
	*counts = 0
	var there []int
	for u := first; u < first+s.block; u++ {
		state[u*s.size+slotArrived] &^= 1 << id
		if !s.Ended(state, u) && here(u) {
			there = append(there, u)
		}
	}
	return s.reduce(state, there)
}

// reduce lets threads go on behind a named barrier, with what barrier.red finds of their predicates.
func (s *System) reduce(state []int64, there []int) error {
	all, any, count, doubt := integer(1), integer(0), integer(0), value{tag: isKnown}
	for _, u := range there {
		e := s.enter(state, u)
		in := &s.kernel.Insts[e.pc]
		if in.Mode == 0 {
			continue
		}
		p := e.test(in.C)
		all, any = join(ir.JoinAnd, all, p), join(ir.JoinOr, any, p)
		if count.n += p.n; !p.known() {
			doubt = unknown(doubt, p)
		}
	}
	if !doubt.known() {
		count = doubt
	}
	for _, u := range there {
		s.release(state, u, func(e *thread, in *ir.Inst) {
			switch in.Named() {
			case "popc":
				e.set(in.D, count)
			case "and":
				e.setPredicate(in.E, all)
			case "or":
				e.setPredicate(in.E, any)
			}
		})
	}
	return nil
}

// release lets a thread go on behind where it waits.
func (s *System) release(state []int64, u int, results func(*thread, *ir.Inst)) {
	e := s.enter(state, u)
	if results != nil {
		results(e, &s.kernel.Insts[e.pc])
	}
	e.pc++
	e.leave()
}

// meet lets the lanes of a mask go on when all of them that have not ended stand at the same operation (PTX ISA 9.7.9.6, 9.7.13.2).
func (s *System) meet(state []int64, warp, end, u int) error {
	wait := state[u*s.size+slotWait]
	if wait&(1<<kindBits-1) != forLanes || s.Ended(state, u) {
		return nil
	}
	in := &s.kernel.Insts[state[u*s.size+slotPC]]
	lanes, there := wait>>kindBits, int64(0)
	for l := range int64(ir.Lanes) {
		v := warp + int(l)
		if lanes>>l&1 == 0 || v >= end || s.Ended(state, v) {
			continue
		}
		if state[v*s.size+slotWait] != wait {
			return nil
		}
		if other := &s.kernel.Insts[state[v*s.size+slotPC]]; other.Op != in.Op || other.Mode != in.Mode {
			return nil
		}
		there |= 1 << l
	}
	g := &gathered{there: there}
	for l := range ir.Lanes {
		if there>>l&1 != 0 {
			e := s.enter(state, warp+l)
			at := &s.kernel.Insts[e.pc]
			g.a[l], g.b[l], g.c[l] = e.read(at.A), e.read(at.B), e.read(at.C)
			if at.Op == ir.Vote {
				g.a[l] = e.test(at.A)
			}
		}
	}
	for l := range ir.Lanes {
		if there>>l&1 != 0 {
			s.release(state, warp+l, func(e *thread, in *ir.Inst) { g.give(e, in, l) })
		}
	}
	return nil
}

// gathered is what lanes bring to a collective.
type gathered struct {
	there   int64
	a, b, c [ir.Lanes]value
}

// give sets what a lane gets of it.
func (g *gathered) give(e *thread, in *ir.Inst, l int) {
	switch in.Op {
	case ir.Shuffle:
		v, p := unknown(g.b[l], g.c[l]), unknown(g.b[l], g.c[l])
		if g.b[l].known() && g.c[l].known() {
			from, valid := ir.ShuffledFrom(in.Mode, l, int(g.b[l].n&31), int(g.c[l].n))
			if v, p = (value{}), truth(valid); g.there>>from&1 != 0 {
				v = g.a[from]
			}
		}
		e.set(in.D, v)
		e.setPredicate(in.E, p)
	case ir.Elect:
		leader := 0
		for g.there>>leader&1 == 0 {
			leader++
		}
		e.set(in.D, integer(int64(leader)))
		e.setPredicate(in.E, truth(leader == l))
	case ir.Vote:
		all, any, ballot := integer(1), integer(0), integer(0)
		for k := range ir.Lanes {
			if g.there>>k&1 != 0 {
				p := g.a[k]
				all, any = join(ir.JoinAnd, all, p), join(ir.JoinOr, any, p)
				if ballot.known() && p.known() {
					ballot.n = int64(int32(ballot.n | p.n<<k))
				} else {
					ballot = unknown(ballot, p)
				}
			}
		}
		switch in.Named() {
		case "ballot":
			e.set(in.D, ballot)
		case "all":
			e.setPredicate(in.E, all)
		case "any":
			e.setPredicate(in.E, any)
		default:
			e.setPredicate(in.E, join(ir.JoinOr, all, not(any)))
		}
	}
}
