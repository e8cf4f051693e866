package exec

import (
	"math/bits"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// namedBarriers is how many a CTA has (PTX ISA 9.7.13.1).
const namedBarriers = 16

// wait is what a fragment waits for.
type wait struct {
	kind   waitKind
	object uint32 // id of a named barrier, or address of an mbarrier
	phase  int64  // that has to be over

	gathers bool // and what the threads have there is asked for, by the instruction at pc
	pc      int32
}

type waitKind uint8

const (
	forNamed waitKind = iota + 1
	forCluster
	forMbarrier
)

// joint is a barrier that lanes arrive at, for the execution alone: the order engine has its own view of it.
type joint struct {
	phase   int64
	arrived map[*warp]uint32
}

// named is a named barrier.
type named struct {
	joint
	threads int // 0: all
	count   int
	tally   tally           // of the generation that is not over
	taken   map[int64]tally // of those that are, which threads may still ask for
}

// tally is what barrier.red gathers of the threads that come (PTX ISA 9.7.13.1).
type tally struct {
	yes, no, open int // threads of which the predicate is so, and of which that is not known
}

func (t *tally) add(p predicate, mask uint32) {
	t.yes += count(mask & p.bits &^ p.open)
	t.no += count(mask &^ p.bits &^ p.open)
	t.open += count(mask & p.open)
}

// gathered is the result of barrier.red for lanes that go on behind it.
func (w *warp) gathered(in *ir.Inst, mask uint32, t tally) {
	if t.open > 0 {
		return
	}
	n := integer(int64(t.yes))
	w.set(in.D, &n, mask, 0)
	if yes := in.Mode == 2 && t.no == 0 || in.Mode == 3 && t.yes > 0; yes {
		w.setPredicate(in.E, predicate{bits: ^uint32(0)}, mask, 0)
	} else {
		w.setPredicate(in.E, predicate{}, mask, 0)
	}
}

// ready reports whether what a fragment waits for has come.
func (w *warp) ready(f *fragment) bool {
	switch f.wait.kind {
	case forNamed:
		return w.cta.named[f.wait.object].phase > f.wait.phase
	case forCluster:
		return w.m.cluster.phase > f.wait.phase
	case forMbarrier:
		o := w.m.mbarriers[f.wait.object]
		return o != nil && o.phase > f.wait.phase
	}
	return true
}

// synchronize executes a command on a barrier, or one of the asynchronous operations. Warps wait for each other only if the
// kernel needs it: see code.blocking.
func (w *warp) synchronize(f *fragment, in *ir.Inst, mask, open uint32) outcome {
	if in.Op == ir.Stop {
		return w.halt(f, in.Extra.Reason())
	}
	if open != 0 {
		why := limit.DataBranch.Says("whether it is executed depends on data")
		name, way := w.condition(f, in, open, why)
		if !way.given {
			out := w.halt(f, why)
			if name != "" {
				w.m.offer(in.Place, name)
			}
			return out
		}
		if way.taken {
			mask |= open
		} else if mask == 0 {
			return next
		}
	}
	switch in.Op {
	case ir.BarrierCTA:
		return w.namedBarrier(f, in, mask)
	case ir.BarrierWarp:
		if !w.meets(f, in, mask, order.WarpSync) {
			return changed
		}
	case ir.BarrierCluster:
		return w.clusterBarrier(f, in, mask)
	case ir.MbarInit, ir.MbarInval, ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarTest, ir.AsyncArrive:
		return w.mbarrier(f, in, mask)
	case ir.Async:
		return w.copy(f, in, mask)
	case ir.TensorAlloc, ir.TensorDealloc, ir.TensorRelinquish, ir.TensorLoad, ir.TensorStore, ir.TensorCopy, ir.TensorMultiply, ir.WarpgroupMultiply:
		return w.tensor(f, in, mask)
	case ir.GroupCommit:
		w.out.Commit(in.Place, mask, order.Unit(in.Mode))
	case ir.GroupWait:
		v := w.read(in.A)
		n, ok := v.alike(mask)
		if !ok {
			return w.halt(f, limit.DataOperand.Says("the number of groups depends on data"))
		}
		var flags order.Flags
		if in.Flags&ir.ReadsDone != 0 {
			flags = order.ReadsDone
		}
		w.out.WaitGroup(in.Place, mask, order.Unit(in.Mode), int(n), flags)
	}
	return next
}

// namedBarrier executes barrier.cta; lanes may have different ids.
func (w *warp) namedBarrier(f *fragment, in *ir.Inst, mask uint32) outcome {
	id, count := w.read(in.A), w.read(in.B)
	s, n := id.lane(trailing(mask))
	sc, k := count.lane(trailing(mask))
	if s|sc != known {
		return w.halt(f, limit.DataOperand.Says("the operands of the barrier depend on data"))
	}
	for l := 0; l < ir.Lanes; l++ {
		s2, n2 := id.lane(l)
		sc2, k2 := count.lane(l)
		if mask>>l&1 != 0 && (s2|sc2 != known || n2 != n || k2 != k) {
			return w.halt(f, limit.Operation.Says("the lanes of a warp have different operands of a barrier"))
		}
	}
	if n < 0 || n >= namedBarriers || k < 0 || k > 1<<20 {
		return w.halt(f, limit.Undefined.Says("the operands of the barrier are out of range: PTX has barriers 0 to 15"))
	}
	kind, flags := order.NamedSync, order.Flags(0)
	if in.Flags&ir.Arrives != 0 {
		kind = order.NamedArrive
	}
	if in.Flags&ir.Aligned != 0 {
		flags = order.Aligned
	}
	w.set(in.D, &top, mask, 0) // of barrier.red
	w.setPredicate(in.E, predicate{open: ^uint32(0)}, mask, 0)
	w.out.Named(kind, in.Place, mask, uint32(n), uint32(k), flags)
	w.interval++
	clear(w.reads)
	if !w.m.kernel.Blocking {
		return next
	}
	b := &w.cta.named[n]
	phase := b.phase
	b.threads = int(k)
	gathers := in.Mode > 0 && in.C != ir.None // else nothing is made of it that is followed
	if gathers {
		b.tally.add(w.test(in.C), mask)
	}
	b.add(w, mask)
	w.cta.complete(b)
	if kind == order.NamedArrive {
		return next
	}
	f.wait = wait{kind: forNamed, object: uint32(n), phase: phase, gathers: gathers, pc: f.pc}
	f.pc++
	return changed
}

func (j *joint) add(w *warp, mask uint32) {
	if j.arrived == nil {
		j.arrived = map[*warp]uint32{}
	}
	j.arrived[w] |= mask
}

// complete ends a generation of a named barrier when enough warps have arrived whole.
func (c *cta) complete(b *named) {
	n, all := 0, 0
	for _, w := range c.warps {
		if w.alive != 0 {
			all += ir.Lanes
		}
	}
	for w, mask := range b.arrived {
		if mask&w.alive == w.alive {
			n += ir.Lanes
		}
	}
	need := b.threads
	if need == 0 {
		need = all
	}
	if n > 0 && n >= need {
		if b.tally != (tally{}) {
			if b.taken == nil {
				b.taken = map[int64]tally{}
			}
			b.taken[b.phase] = b.tally
			delete(b.taken, b.phase-2) // nobody is two generations behind
			b.tally = tally{}
		}
		b.phase++
		clear(b.arrived)
	}
}

// clusterBarrier executes barrier.cluster.arrive and wait.
func (w *warp) clusterBarrier(f *fragment, in *ir.Inst, mask uint32) outcome {
	var flags order.Flags
	if in.Flags&ir.Aligned != 0 {
		flags = order.Aligned
	}
	if in.Flags&ir.Arrives != 0 {
		w.out.Joint(order.ClusterArrive, in.Place, mask, flags)
		if w.m.kernel.Blocking {
			w.arrivedAt = w.m.cluster.phase
			w.m.cluster.add(w, mask)
			w.m.completeCluster()
		}
		return next
	}
	w.out.Joint(order.ClusterWait, in.Place, mask, flags)
	if in.Scope == ir.ScopeGPU { // that of the grid
		w.interval++
		clear(w.reads)
	}
	if !w.m.kernel.Blocking {
		return next
	}
	f.pc++
	f.wait = wait{kind: forCluster, phase: w.arrivedAt}
	return changed
}

// completeCluster ends a phase of the cluster's barrier when all threads that have not exited have arrived.
func (m *machine) completeCluster() {
	for _, w := range m.warps {
		if w.alive&^m.cluster.arrived[w] != 0 {
			return
		}
	}
	if len(m.cluster.arrived) > 0 {
		m.cluster.phase++
		clear(m.cluster.arrived)
	}
}

// exited takes into account that lanes have ended: barriers of all threads may be complete now.
func (m *machine) exited(w *warp) {
	if !m.kernel.Blocking {
		return
	}
	for k := range w.cta.named {
		if b := &w.cta.named[k]; b.threads == 0 && len(b.arrived) > 0 {
			w.cta.complete(b)
		}
	}
	m.completeCluster()
}

func count(mask uint32) int { return bits.OnesCount32(mask) }
