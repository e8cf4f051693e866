package exec

import (
	"slices"

	"github.com/fencepost-dev/fencepost/engine/order"
	"github.com/fencepost-dev/fencepost/ir"
)

// A region that is passed without its way being known has conditions of its own: which lanes come to an access there follows from them as far as they hang on
// what is known. Those lanes make it if data lead to it. What is counted in the region has, in its first round, the value that it begins with.

// passage is one access of a region that is passed.
type passage struct {
	w     *warp
	r     *ir.Region
	open  uint32
	first bool // as it is in the first round of the region's loops
	done  map[int32]bool
	tests map[int32]bool
	kept  []keptRegister // what registers held before
}

type keptRegister struct {
	register int32
	value    value
}

// sets are the instructions of the region that set a register, or a predicate, as far as they come before an instruction in a first round.
func (p *passage) sets(all []int32, at int32) (out []int32) {
	for _, k := range all {
		if _, in := slices.BinarySearch(p.r.Insts, k); in && (!p.first || k < at) {
			out = append(out, k)
		}
	}
	return out
}

// before reports whether all ways to an instruction come by another one.
func (p *passage) before(set, at int32) bool {
	fl := p.w.m.kernel.Flow()
	a, b := fl.BlockOf(set), fl.BlockOf(at)
	return a == b && set < at || a != b && fl.Dominates(a, b)
}

// register computes a register as an instruction of the region reads it, if only one instruction there sets it, and never from itself.
func (p *passage) register(reg, at int32, depth int) bool {
	if reg < 0 {
		return true
	}
	if ok, seen := p.done[reg]; seen {
		return ok
	}
	sets := p.sets(p.w.m.kernel.SetsOf(reg), at)
	if len(sets) == 0 {
		return true
	}
	p.done[reg] = false
	if len(sets) > 1 || depth > maxDerived || !p.before(sets[0], at) {
		return false
	}
	in := &p.w.m.kernel.Insts[sets[0]]
	if in.Guard >= 0 || !in.Op.Does(ir.Integer) {
		return false
	}
	registers, _ := in.OperandsOf()
	for _, o := range registers {
		if !p.register(o, sets[0], depth+1) {
			return false
		}
	}
	if p.first {
		old := p.w.registers[reg]
		if old.spread != nil {
			held := *old.spread
			old.spread = &held
		}
		p.kept = append(p.kept, keptRegister{reg, old})
	}
	v := p.w.arithmetic(in)
	if in.Op == ir.Add && in.Size > 0 {
		p.w.placeIn(in)
	}
	p.w.set(in.D, &v, p.open, 0)
	p.done[reg] = true
	return true
}

// array sees to it that of the array that a register leads to is known what an instruction of the region finds, where that is computed there; nothing else if that cannot be.
func (p *passage) array(reg, at int32) {
	sets := p.sets(p.w.m.kernel.SetsOf(reg), at)
	if len(sets) == 0 {
		return
	}
	delete(p.w.arrays, reg)
	in := &p.w.m.kernel.Insts[sets[0]]
	if len(sets) == 1 && p.before(sets[0], at) && in.Guard < 0 && in.Op == ir.Add && in.Size > 0 && p.register(in.A.Reg, sets[0], 0) {
		p.w.placeIn(in)
	}
}

// test is a predicate as an instruction of the region reads it; what is not known of it is open.
func (p *passage) test(of, at int32, depth int) predicate {
	none := predicate{open: ^uint32(0)}
	sets := p.sets(p.w.m.kernel.TestsOf(of), at)
	if len(sets) == 0 {
		return p.w.predicates[of]
	}
	if p.tests[of] || len(sets) > 1 || depth > maxDerived || !p.before(sets[0], at) {
		return none
	}
	p.tests[of] = true
	defer delete(p.tests, of)
	in := &p.w.m.kernel.Insts[sets[0]]
	operand := func(o ir.Operand) predicate {
		if o.Reg < 0 {
			return p.w.test(o)
		}
		q := p.test(o.Reg, sets[0], depth+1)
		if o.Not {
			q.bits = ^q.bits &^ q.open
		}
		return q
	}
	switch {
	case in.Guard >= 0:
	case in.Op == ir.Logic:
		return joined(in.Mode, operand(in.A), operand(in.B))
	case in.Op == ir.Setp && in.D == of && in.C == ir.None && !in.Type.Data:
		if p.register(in.A.Reg, sets[0], depth+1) && p.register(in.B.Reg, sets[0], depth+1) {
			return p.w.compare(in)
		}
	}
	return none
}

// lanes are those that come to an instruction of the region, as far as its conditions are known; chosen says that what is not known of them data choose.
func (p *passage) lanes(k int32) (mask uint32, chosen bool) {
	kernel := p.w.m.kernel
	fl := kernel.Flow()
	mask, chosen = p.open, true
	holds := func(guard int32, not bool, at int32) {
		q := p.test(guard, at, 0)
		if not {
			q.bits = ^q.bits
		}
		mask &= q.bits | q.open
		if q.open&p.open != 0 {
			names, memory := p.w.m.open(&ir.Inst{Op: ir.Branch, Guard: guard, A: ir.None})
			chosen = chosen && (memory || len(names) == 0)
		}
	}
	if in := &kernel.Insts[k]; in.Guard >= 0 && k != p.w.passes {
		holds(in.Guard, in.GuardNot, k)
	}
	start := fl.BlockOf(p.w.passes)
	for b := fl.BlockOf(k); b >= 0 && b != start; b = fl.Above(b) {
		before := fl.Before(b)
		if len(before) != 1 || before[0] == start {
			continue
		}
		last := fl.Last(before[0])
		if in := &kernel.Insts[last]; in.Op == ir.Branch && in.Guard >= 0 && len(fl.Next(before[0])) == 2 {
			holds(in.Guard, (fl.BlockOf(in.Target) == b) == in.GuardNot, last)
		}
	}
	return mask, chosen
}

// bare is an access without what it computes.
func (w *warp) bare(in *ir.Inst) *ir.Inst {
	return &ir.Inst{Op: in.Op, Mode: in.Mode, Type: in.Type, Guard: -1, D: -1, E: -1, A: in.A, B: ir.Operand{Reg: w.m.kernel.Nothing}, C: ir.None, Place: in.Place,
		Size: in.Size, Space: in.Space, Flags: in.Flags, Offset: in.Offset}
}

// reached makes an access of a region as far as its place is known: for all lanes that may come there, and, if data choose that, for those that do in the first round. Surely says how
// sure what these do is then; 0: not at all.
func (w *warp) reached(r *ir.Region, k int32, open uint32, surely order.Flags) {
	in := &w.m.kernel.Insts[k]
	p := &passage{w: w, r: r, open: open, done: map[int32]bool{}, tests: map[int32]bool{}}
	may, _ := p.lanes(k)
	if may == 0 {
		return
	}
	exact := p.register(in.A.Reg, k, 0)
	f := &passage{w: w, r: r, open: may, first: true, done: map[int32]bool{}, tests: map[int32]bool{}}
	first, choose := f.lanes(k)
	if surely == 0 || !choose {
		first = 0
	}
	if exact && first == may {
		f.restore()
		w.round = surely
		w.memory(w.bare(in), 0, may)
		w.round = 0
		return
	}
	at := f.register(in.A.Reg, k, 0) && first != 0
	if at {
		w.round = surely
		w.memory(w.bare(in), 0, first)
		w.round = 0
	}
	f.restore()
	switch {
	case exact:
		w.memory(w.bare(in), 0, may)
	default:
		if in.Op != ir.Load {
			w.m.forgetShared()
		}
		if in.A.Reg >= 0 {
			p.array(in.A.Reg, k)
		}
		w.anywhere(in, may)
		if in.Op == ir.Store {
			clear(w.locals)
		}
	}
}

// restore gives registers back what they held before.
func (p *passage) restore() {
	for _, k := range slices.Backward(p.kept) {
		v := k.value
		p.w.store(k.register, &v)
	}
	p.kept = nil
}
