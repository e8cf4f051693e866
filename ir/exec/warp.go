package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// warp is one warp while it is executed. Its lanes run together while they agree; fragments are the groups of lanes that
// stand at different places. The fragment that is deepest in calls, and then earliest in the text, runs first, so that
// lanes come together again where compilers put the end of a branch.
type warp struct {
	m           *machine
	cta         *cta
	index       int // in the CTA
	out         *order.Warp
	alive       uint32 // lanes that have not exited
	unawaited   bool   // see Execution
	registers   []value
	predicates  []predicate
	buffers     []*spread
	scratch     spread
	merged      spread
	fragments   []*fragment
	locals      map[int64]*local
	steps       int64
	arrivedAt   int64 // phase of the cluster's barrier that the warp arrived in last
	stopped     bool
	passing     *ir.Inst    // the branch whose region is passed without its way being known
	passes      int32       // where that is
	round       order.Flags // of accesses that are made in the first round of such a region, if data lead there
	jointly     bool        // all lanes go one way there
	offered     string      // the condition of the branch, where that it is told helps
	outsideSeen map[uint32]bool
	passages    []Passage
	allocations []Allocation
	turns       map[turns]int64
	had         map[computation]symbol
	drew        map[symbol]int64  // how often it was given tickets at a place
	times       map[int32]int64   // how often registers were set to what is not known
	interval    int64             // how many barriers it has come past
	reads       map[uint32]uint32 // loads of shared memory since, by place
	arrays      map[int32]array   // by the register that leads into one
}

// fragment is lanes of a warp that stand at one place.
type fragment struct {
	pc    int32
	mask  uint32
	stack []int32 // where calls return to; never changed in place
	wait  wait
	poll  poll
	join  *join // where it comes together again with the lanes it was split from
	park  bool  // it is there, and they are not
}

// before says which fragment runs first.
func (f *fragment) before(g *fragment) bool {
	if len(f.stack) != len(g.stack) {
		return len(f.stack) > len(g.stack)
	}
	return f.pc < g.pc
}

// run lets a warp go on until all its lanes have ended or wait; it reports whether it did anything.
func (w *warp) run() bool {
	ran := false
	for !w.stopped {
		f := w.pick()
		if f == nil {
			if w.m.kernel.Blocking || !w.release() {
				return ran
			}
			continue
		}
		ran = true
		w.advance(f)
	}
	return ran
}

// pick is the fragment that runs next; nil if none can.
func (w *warp) pick() *fragment {
	var best *fragment
	for _, f := range w.fragments {
		if f.park {
			continue
		}
		if f.wait.kind != 0 {
			if !w.ready(f) {
				continue
			}
			if f.wait.gathers {
				w.gathered(&w.m.kernel.Insts[f.wait.pc], f.mask, w.cta.named[f.wait.object].taken[f.wait.phase])
			}
			f.wait = wait{}
		}
		if best == nil || f.before(best) {
			best = f
		}
	}
	return best
}

// advance runs a fragment up to the place of another one, a wait, or its end.
func (w *warp) advance(f *fragment) {
	for {
		if f.join != nil && f.pc == f.join.pc && len(f.stack) == f.join.depth {
			f.park = true
			w.rejoin(f.join)
			return
		}
		if len(w.fragments) > 1 && w.pick() != f {
			return
		}
		if w.steps++; w.steps&(1<<14-1) == 0 && !w.goOn(f) {
			w.stopped = true
			return
		}
		pc, mask := f.pc, f.mask
		did := w.step(f)
		if w.m.watch != nil {
			w.m.watch(w, pc, mask)
		}
		switch did {
		case next:
			f.pc++
		case jumped:
		case changed: // the list of fragments, or what this one waits for
			return
		}
	}
}

func (w *warp) remove(f *fragment) {
	w.fragments = slices.DeleteFunc(w.fragments, func(g *fragment) bool { return g == f })
}

// outcome says how a step ended.
type outcome uint8

const (
	next outcome = iota
	jumped
	changed
)

// split makes a fragment of lanes that leave another one. Both come together again at a place, if there is one: that is how
// hardware and compilers keep the lanes of a warp together (PTX ISA 9.7.12, "reconvergence").
func (w *warp) split(f *fragment, mask uint32, pc int32, stack []int32, again int32) {
	f.mask &^= mask
	if again >= 0 && (f.join == nil || f.join.pc != again || f.join.depth != len(f.stack)) && f.join.length() < maxJoins {
		f.join = &join{pc: again, depth: len(f.stack), outer: f.join, size: f.join.length() + 1}
	}
	w.fragments = append(w.fragments, &fragment{pc: pc, mask: mask, stack: stack, join: f.join})
}

// part lets lanes of a fragment go elsewhere.
func (w *warp) part(f *fragment, mask uint32, pc int32, stack []int32, again int32) outcome {
	if mask == f.mask {
		f.pc, f.stack = pc, stack
		return jumped
	}
	f.pc++
	w.split(f, mask, pc, stack, again)
	return changed
}

// end takes lanes out of a warp.
func (w *warp) end(f *fragment, mask uint32) outcome {
	w.alive &^= mask
	w.m.exited(w)
	if f.poll.set {
		w.m.peeked(w.m.kernel.Insts[f.poll.pc].Place)
	}
	if f.mask &^= mask; f.mask == 0 {
		w.remove(f)
		w.rejoinAll()
		return changed
	}
	return next
}

// step executes one instruction.
func (w *warp) step(f *fragment) outcome {
	in := &w.m.kernel.Insts[f.pc]
	mask, open := f.mask, uint32(0)
	if in.Guard >= 0 {
		p := w.predicates[in.Guard]
		open = mask & p.open
		if in.GuardNot {
			p.bits = ^p.bits
		}
		if mask &= p.bits &^ p.open; mask|open == 0 {
			return next
		}
	}
	switch in.Op {
	case ir.MaxRegisters:
		w.allocates(in, open != 0)
	case ir.Nop, ir.Fence, ir.GridDependency, ir.Sleep, ir.Stage: // engine/order has no memory order
	case ir.Havoc:
		if in.D >= 0 {
			w.set(in.D, &top, mask|open, 0)
			if w.m.kernel.Data {
				w.m.symbols.hide(w.freshSymbol(in.D))
			}
		}
		if in.E >= 0 {
			w.setPredicate(in.E, predicate{open: ^uint32(0)}, mask|open, 0)
		}
		if in.Extra != nil {
			for _, d := range in.Extra.Dests {
				w.set(d, &top, mask|open, 0)
			}
		}
	case ir.Setp:
		w.setp(in, mask, open)
	case ir.Logic:
		w.setPredicate(in.D, joined(in.Mode, w.test(in.A), w.test(in.B)), mask, open)
	case ir.Select:
		v := w.choose(in)
		w.set(in.D, &v, mask, open)
	case ir.Apply:
		v := top
		if w.m.kernel.Data {
			v = w.formula(in)
		}
		w.set(in.D, &v, mask, open)
	case ir.Branch, ir.BranchIndexed, ir.Call, ir.Return, ir.Exit:
		return w.jump(f, in, mask, open)
	case ir.Load, ir.Store, ir.Atomic, ir.Matrix, ir.Outside:
		w.memory(in, mask, open)
	case ir.Pack, ir.Unpack, ir.Shuffle, ir.Vote, ir.Elect, ir.MapShared, ir.CTARank, ir.IsSpace, ir.Rendezvous:
		return w.across(f, in, mask, open)
	case ir.BarrierCTA, ir.BarrierWarp, ir.BarrierCluster, ir.MbarInit, ir.MbarInval, ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarTest, ir.Async, ir.AsyncArrive, ir.GroupCommit, ir.GroupWait, ir.Stop,
		ir.TensorAlloc, ir.TensorDealloc, ir.TensorRelinquish, ir.TensorLoad, ir.TensorStore, ir.TensorCopy, ir.TensorMultiply, ir.WarpgroupMultiply:
		return w.synchronize(f, in, mask, open)
	default:
		v := w.arithmetic(in)
		if in.Op == ir.Add && in.Size > 0 {
			w.placeIn(in)
		}
		w.set(in.D, &v, mask, open)
	}
	return next
}

func (w *warp) setp(in *ir.Inst, mask, open uint32) {
	p := w.compare(in)
	q := p
	if in.E >= 0 {
		q = joined(ir.JoinNot, p, p)
	}
	if in.Join != 0 {
		r := w.test(in.C)
		p, q = joined(in.Join, p, r), joined(in.Join, q, r)
	}
	w.setPredicate(in.D, p, mask, open)
	w.setPredicate(in.E, q, mask, open)
}

// jump executes what changes the place.
func (w *warp) jump(f *fragment, in *ir.Inst, mask, open uint32) outcome {
	if open != 0 {
		return w.undecided(f, in, mask, open)
	}
	switch in.Op {
	case ir.Branch:
		if mask == f.mask {
			f.pc = in.Target
			return jumped
		}
		return w.part(f, mask, in.Target, f.stack, w.m.kernel.AfterBranch(f.pc))
	case ir.BranchIndexed:
		return w.indexed(f, in, mask)
	case ir.Call:
		if len(f.stack) >= ir.MaxFunctions {
			return w.halt(f, limit.Size.Says("calls go too deep"))
		}
		return w.part(f, mask, in.Target, append(slices.Clip(f.stack), f.pc+1), f.pc+1)
	case ir.Return:
		if n := len(f.stack); n > 0 {
			if end := w.m.kernel.EndOf(f.pc); end != f.pc { // all leave a function by its last instruction
				return w.part(f, mask, end, f.stack, end)
			}
			f.pc, f.stack = f.stack[n-1], f.stack[:n-1]
			return jumped
		}
	}
	if in.Traps() {
		w.m.traps(in.Place)
	}
	return w.end(f, mask)
}

func (w *warp) indexed(f *fragment, in *ir.Inst, mask uint32) outcome {
	v := w.read(in.A)
	for rest := mask; rest != 0; {
		sym, n := v.lane(trailing(rest))
		if sym != known || n < 0 || n >= int64(len(in.Extra.Targets)) {
			return w.halt(f, limit.DataBranch.Says("brx.idx by a value that depends on data"))
		}
		same := uint32(0)
		for k := 0; k < ir.Lanes; k++ {
			if s, x := v.lane(k); rest>>k&1 != 0 && s == known && x == n {
				same |= 1 << k
			}
		}
		rest &^= same
		if same == f.mask {
			f.pc = in.Extra.Targets[n]
			return changed
		}
		w.split(f, same, in.Extra.Targets[n], f.stack, w.m.kernel.AfterBranch(f.pc))
	}
	f.pc++
	return changed
}
