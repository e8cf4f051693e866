package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
)

// undecided passes a branch whose way is not known for the lanes of open. If no way synchronizes, it does not matter which is
// taken: what any of them sets is unknown afterwards, and its accesses of shared memory may or may not be made.
func (w *warp) undecided(f *fragment, in *ir.Inst, mask, open uint32) outcome {
	r := w.m.kernel.RegionOf(f.pc)
	stops, why := r.To < 0 || r.Why != "", limit.Reason{}
	switch {
	case stops && r.Why != "":
		why = limit.DataBranch.Says("the branch depends on data, and there is " + r.Why + " on a way from it")
	case stops:
		why = limit.DataBranch.Says("the branch depends on data")
	case w.m.kernel.Counted(f.pc):
		why = limit.DataBranch.Says("how many rounds a loop has depends on data")
	case len(r.Accesses) > 0 && in.Op == ir.Branch && w.m.leaves(f.pc):
		why = limit.DataBranch.Says("threads end or go on as data say")
	case w.m.partial(r):
		why = limit.DataBranch.Says("lanes that a mask leaves out come there as data say")
	}
	if why.Code != 0 {
		name, way := w.condition(f, in, open, why)
		if way.taken {
			mask |= open
		}
		switch {
		case way.given && mask == 0:
			f.pc++
			return changed
		case way.given:
			return w.jump(f, in, mask, 0)
		case stops:
			out := w.halt(f, why)
			if name != "" {
				w.m.offer(in.Place, name)
			}
			return out
		}
		w.offered = name
	}
	w.m.assume("loops whose end depends on data end")
	w.m.trust(in, r)
	w.jointly = open == f.mask && (w.predicates[in.Guard].even || w.m.together(f.pc))
	if !w.jointly {
		w.skips(r)
	}
	if w.m.launch.Global {
		w.m.skipped(r, in)
	}
	w.unsettles(r, in)
	for _, k := range r.Insts {
		if change := &w.m.kernel.Insts[k]; change.Op == ir.MaxRegisters {
			w.allocates(change, true)
		}
	}
	w.passing, w.passes = in, f.pc
	w.havoc(r, open)
	w.passing, w.offered = nil, ""
	if open == f.mask {
		f.pc = r.To
		return jumped
	}
	w.split(f, open, r.To, f.stack, r.To)
	if mask == 0 {
		f.pc++
		return changed
	}
	if out := w.jump(f, in, mask, 0); out == next {
		f.pc++
	}
	return changed
}

// trust notes a branch around a trap that what is not given decides.
func (m *machine) trust(in *ir.Inst, r *ir.Region) {
	m.mu.Lock()
	_, met := m.trusted[in.Place]
	m.mu.Unlock()
	if met || !slices.ContainsFunc(r.Insts, func(k int32) bool { return m.kernel.Insts[k].Traps() }) {
		return
	}
	names, memory := m.open(in)
	if len(names) == 0 || memory {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all, _ := m.kernel.InputsOf(in)
	m.trusted[in.Place] = Trust{Halt{Place: &m.kernel.Places[in.Place], Why: limit.Input.Says("what is taken for granted here, or else traps, hangs on what is not said"), Inputs: names}, all}
}

// together reports whether the lanes of a warp that come to a branch all go the same way.
func (m *machine) together(pc int32) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	in := &m.kernel.Insts[pc]
	return in.Op == ir.Branch && in.Guard >= 0 && m.uniform().Predicates[in.Guard] != ir.Varying && m.alike.Insts[pc] != ir.Varying
}

// leaves reports whether one way of a branch leads to the end of the kernel, and the other not.
func (m *machine) leaves(pc int32) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	ends, met := m.ends[pc]
	if !met {
		ends = m.kernel.Idle(pc)
		m.ends[pc] = ends
	}
	return ends[0] != ends[1]
}

// partial reports whether there are instructions in a region whose mask is not of all lanes.
func (m *machine) partial(r *ir.Region) bool {
	return slices.ContainsFunc(r.Insts, func(k int32) bool {
		in := &m.kernel.Insts[k]
		return in.Members.Reg == -1 && in.Members.Imm&0xffffffff != 0xffffffff && (in.Op == ir.BarrierWarp || in.Flags&ir.Meets != 0)
	})
}

// skips notes that lanes are taken to meet in a region although data say which of them come there.
func (w *warp) skips(r *ir.Region) {
	for _, k := range r.Insts {
		if in := &w.m.kernel.Insts[k]; in.Flags&ir.Meets != 0 {
			w.m.mu.Lock()
			w.m.unmet = true
			w.m.mu.Unlock()
			return
		}
	}
}

// through goes on behind an instruction that cannot be followed: what it does is not known, and it may have synchronized. Where control goes
// elsewhere, the lanes come together again where all ways do.
func (w *warp) through(f *fragment, in *ir.Inst, why limit.Reason) outcome {
	w.passed(in, f.mask, why)
	clear(w.locals)
	to := f.pc + 1
	set := []int32{f.pc}
	switch {
	case in.Op == ir.Stop || in.Op == ir.Call || in.Op == ir.BranchIndexed:
		to = -1
	case in.Op.Branches():
		r := w.m.kernel.RegionOf(f.pc)
		to, set = r.To, r.Insts
	}
	if to < 0 {
		return w.end(f, f.mask)
	}
	w.forgetResults(set, f.mask)
	f.pc = to
	return changed
}

// passed notes that lanes came to what may do anything to shared memory, and may synchronize.
func (w *warp) passed(in *ir.Inst, mask uint32, why limit.Reason) {
	w.miss(in, why)
	clear(w.locals)
	w.m.forgetShared()
	w.passages = append(w.passages, Passage{len(w.out.Commands), mask, in.Place, why})
	if mask == w.out.Lanes { // others may meet it there, and what is found behind it may be something else
		w.interval++
		clear(w.reads)
	}
}

// forgetResults makes unknown what instructions set.
func (w *warp) forgetResults(list []int32, mask uint32) {
	for _, k := range list {
		registers, predicates := w.m.kernel.Insts[k].Results()
		for _, d := range registers {
			w.set(d, &top, mask, 0)
		}
		for _, d := range predicates {
			w.setPredicate(d, predicate{open: ^uint32(0)}, mask, 0)
		}
	}
}

// havoc makes the accesses of a region, as far as their addresses follow from what is known before it, and forgets what it
// sets.
func (w *warp) havoc(r *ir.Region, open uint32) {
	var orders []int32
	for _, k := range r.Insts {
		if w.m.kernel.Insts[k].Op.Does(ir.Orders) {
			orders = append(orders, k)
		}
	}
	names, memory := w.m.open(&ir.Inst{Op: ir.Branch, Guard: w.passing.Guard, A: ir.None})
	chosen := memory || len(names) == 0
	for _, k := range r.Accesses {
		if in := &w.m.kernel.Insts[k]; in.Op == ir.Outside {
			w.unfollowed(in, open)
			continue
		}
		switch p := (&passage{w: w, r: r}); {
		case !chosen || slices.ContainsFunc(orders, func(o int32) bool { return !p.before(k, o) }):
			w.reached(r, k, open, 0)
		case len(orders) > 0:
			w.reached(r, k, open, order.Early)
		default:
			w.reached(r, k, open, order.First)
		}
	}
	for _, k := range r.Insts { // of local memory is known what is not written there
		in := &w.m.kernel.Insts[k]
		switch {
		case in.Op != ir.Store || in.Space != ir.Local:
		case in.A.Reg < 0:
			w.memory(&ir.Inst{Op: ir.Store, Type: in.Type, Guard: -1, D: -1, E: -1, A: in.A, B: ir.Operand{Reg: w.m.kernel.Nothing}, C: ir.None, Place: in.Place, Size: in.Size, Space: ir.Local, Offset: in.Offset}, 0, open)
		default:
			clear(w.locals)
		}
	}
	for _, k := range r.Insts {
		if in := &w.m.kernel.Insts[k]; in.Members.Reg == -1 && open&^uint32(in.Members.Imm) != 0 && (in.Op == ir.BarrierWarp || in.Flags&ir.Meets != 0) {
			if w.jointly && w.certain(r, k) {
				w.excluded(in, open&^uint32(in.Members.Imm))
			} else {
				w.m.doubtMask(in, w.passing, w.offered)
			}
		}
	}
	w.forgetResults(r.Insts, open)
}

// certain reports whether all lanes that go into a region one way come to an instruction of it: its block follows the branch, and no guard stands before it.
func (w *warp) certain(r *ir.Region, k int32) bool {
	fl := w.m.kernel.Flow()
	b := fl.BlockOf(k)
	return w.m.kernel.Insts[k].Guard < 0 && slices.Contains(fl.Next(fl.BlockOf(w.passes)), b)
}

// maxDerived bounds how far back an address is followed in a region.
const maxDerived = 64
