package ir

import "slices"

// defs are the instructions that set each register and predicate.
type defs struct{ registers, predicates [][]int32 }

// Reduced is what the execution has to follow of a kernel, without what has no part in it. With data, what is stored is followed.
func (whole *Kernel) Reduced(data bool) *Kernel {
	c := &Kernel{Name: whole.Name, File: whole.File, Places: whole.Places, Registers: whole.Registers, Predicates: whole.Predicates, Special: whole.Special,
		Formals: whole.Formals, Slots: whole.Slots, Names: whole.Names, Directives: whole.Directives, Variables: whole.Variables, Constants: whole.Constants,
		Assumed: whole.Assumed, Insts: slices.Clone(whole.Insts), Functions: slices.Clone(whole.Functions), Nothing: whole.Nothing, Data: data}
	c.define()
	var roots, values []Operand
	var tests []int32
	mbarriers := false
	for k := range c.Insts {
		in := &c.Insts[k]
		roots = append(roots, in.Members)
		switch {
		case in.Op >= BarrierCTA || in.Op == BranchIndexed:
			roots = append(roots, in.A, in.B, in.C)
			if in.Extra != nil {
				roots = append(roots, in.Extra.Operands...)
			}
			mbarriers = mbarriers || in.Op >= MbarInit && in.Op <= AsyncArrive
		case in.accesses():
			roots = append(roots, in.A)
			values = append(values, in.B)
			if in.Extra != nil {
				values = append(values, in.Extra.Operands...)
			}
		case in.Flags&Meets != 0:
		case in.Op < Branch:
			continue
		}
		if in.Guard >= 0 {
			tests = append(tests, in.Guard)
		}
	}
	for k := range c.slice(roots, tests).insts {
		if in := &c.Insts[k]; in.Op == Load && (in.Space == Shared || in.Space == Generic) && !in.Type.Data {
			c.Tracked = true
		}
	}
	c.Blocking = c.Tracked || mbarriers
	c.stores()
	c.shrink(c.slice(append(roots, values...), tests))
	return c
}

// accesses reports whether an instruction may access shared memory, or local memory, which hands values on.
func (in *Inst) accesses() bool {
	return in.Op >= Load && in.Op <= Matrix && (in.Space == Shared || in.Space == Generic || in.Space == Local && in.Op == Store)
}

// define notes which instructions set what.
func (c *Kernel) define() { c.defs = c.definitions() }

// definitions are the instructions that set each register and predicate.
func (c *Kernel) definitions() defs {
	out := defs{make([][]int32, c.Registers), make([][]int32, c.Predicates)}
	for k := range c.Insts {
		registers, predicates := c.Insts[k].Results()
		for _, d := range registers {
			out.registers[d] = append(out.registers[d], int32(k))
		}
		for _, d := range predicates {
			out.predicates[d] = append(out.predicates[d], int32(k))
		}
	}
	return out
}

// shrink drops instructions that neither do anything nor set what others need.
func (c *Kernel) shrink(needed *slice) {
	moved := make([]int32, len(c.Insts)+1)
	kept := c.Insts[:0]
	for k := range c.Insts {
		moved[k] = int32(len(kept))
		in := c.Insts[k]
		if in.Flags&Meets != 0 && !needed.insts[int32(k)] { // what it computes is of no use, that lanes meet is
			meeting := Blank(Rendezvous)
			meeting.Flags, meeting.Guard, meeting.GuardNot, meeting.Place, meeting.Members = Meets, in.Guard, in.GuardNot, in.Place, in.Members
			in = meeting
		}
		if in.Op != Nop && (in.Op == Rendezvous || in.Op >= Branch || in.accesses() || needed.insts[int32(k)]) {
			kept = append(kept, in)
		}
	}
	moved[len(c.Insts)] = int32(len(kept))
	c.Insts = kept
	for k := range kept {
		in := &kept[k]
		switch {
		case in.Op == Branch || in.Op == Call:
			in.Target = moved[in.Target]
		case in.Op == BranchIndexed:
			targets := make([]int32, len(in.Extra.Targets))
			for j, t := range in.Extra.Targets {
				targets[j] = moved[t]
			}
			in.Extra = &Extra{Targets: targets}
		}
	}
	for k := range c.Functions {
		c.Functions[k] = [2]int32{moved[c.Functions[k][0]], moved[c.Functions[k][1]]}
	}
	c.define()
}

// slice is what values depend on, without regard to order.
type slice struct {
	insts                 map[int32]bool
	registers, predicates map[int32]bool
}

// slice follows registers and predicates back to all that may set them.
func (c *Kernel) slice(roots []Operand, tests []int32) *slice {
	s := &slice{map[int32]bool{}, map[int32]bool{}, map[int32]bool{}}
	var registers, predicates []int32
	for _, o := range roots {
		if o.Reg >= 0 {
			registers = append(registers, o.Reg)
		}
	}
	predicates = append(predicates, tests...)
	visit := func(list []int32) {
		for _, k := range list {
			if s.insts[k] {
				continue
			}
			s.insts[k] = true
			in := &c.Insts[k]
			if in.Op == Apply && !c.Data {
				continue
			}
			r, p := in.OperandsOf()
			registers, predicates = append(registers, r...), append(predicates, p...)
			if in.Guard >= 0 {
				predicates = append(predicates, in.Guard)
			}
		}
	}
	for len(registers)+len(predicates) > 0 {
		if n := len(registers); n > 0 {
			r := registers[n-1]
			registers = registers[:n-1]
			if !s.registers[r] {
				s.registers[r] = true
				visit(c.defs.registers[r])
			}
			continue
		}
		n := len(predicates)
		p := predicates[n-1]
		predicates = predicates[:n-1]
		if !s.predicates[p] {
			s.predicates[p] = true
			visit(c.defs.predicates[p])
		}
	}
	return s
}

// FromShared reports whether an address may be one of shared memory.
func (c *Kernel) FromShared(in *Inst) bool {
	c.sharedOnce.Do(c.taint)
	return in.A.Reg >= 0 && c.mayShared[in.A.Reg]
}

// taint finds the registers that may hold generic addresses of shared memory.
func (c *Kernel) taint() {
	uses := make([][]int32, c.Registers)
	c.mayShared = make([]bool, c.Registers)
	var todo []int32
	mark := func(k int32) {
		registers, _ := c.Insts[k].Results()
		for _, d := range registers {
			if !c.mayShared[d] {
				c.mayShared[d] = true
				todo = append(todo, d)
			}
		}
	}
	for k := range c.Insts {
		in := &c.Insts[k]
		registers, _ := in.OperandsOf()
		for _, r := range registers {
			uses[r] = append(uses[r], int32(k))
		}
		switch {
		case in.Op == Add && in.B.Reg < 0 && in.B.Imm == SharedWindow, in.Op == MapShared, in.Op == Load && in.Space == Shared:
			mark(int32(k))
		case in.Op == Havoc: // of whatever it was made
			mark(int32(k))
		}
	}
	c.mayShared[c.Nothing] = true
	todo = append(todo, c.Nothing)
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range uses[r] {
			mark(k)
		}
	}
}

// stores finds the parameters through which the kernel may write global memory: what they point to is not the same at all
// times.
func (c *Kernel) stores() {
	var roots []Operand
	for k := range c.Insts {
		in := &c.Insts[k]
		global := in.Space == Global || in.Space == Generic
		switch {
		case (in.Op == Store || in.Op == Atomic) && global:
			roots = append(roots, in.A)
		case in.Op == Async && in.Flags&ToShared == 0:
			roots = append(roots, in.Extra.Operands[0])
		}
	}
	c.Writes = c.slice(roots, nil).registers
}
