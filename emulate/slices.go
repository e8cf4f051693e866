package emulate

import (
	"fmt"
	"slices"
	"strings"
)

// defs are the instructions that set each register and predicate.
type defs struct{ registers, predicates [][]int32 }

// analyse finds out what the emulation has to follow, and drops what has no part in it.
func (c *code) analyse() {
	c.define()
	var roots, values []operand
	var tests []int32
	mbarriers := false
	for k := range c.insts {
		in := &c.insts[k]
		roots = append(roots, in.members)
		switch {
		case in.op >= opNamed || in.op == opIndexed:
			roots = append(roots, in.a, in.b, in.c)
			if in.extra != nil {
				roots = append(roots, in.extra.operands...)
			}
			mbarriers = mbarriers || in.op >= opInit && in.op <= opArriveDone
		case in.accesses():
			roots = append(roots, in.a)
			values = append(values, in.b)
			if in.extra != nil {
				values = append(values, in.extra.operands...)
			}
		case in.flags&meets != 0:
		case in.op < opBranch:
			continue
		}
		if in.guard >= 0 {
			tests = append(tests, in.guard)
		}
	}
	for k := range c.slice(roots, tests).insts {
		if in := &c.insts[k]; in.op == opLoad && (in.space == sharedMemory || in.space == generic) && !in.t.data {
			c.tracked = true
		}
	}
	c.blocking = c.tracked || mbarriers
	c.stores()
	c.shrink(c.slice(append(roots, values...), tests))
}

// accesses reports whether an instruction may access shared memory, or local memory, which hands values on.
func (in *inst) accesses() bool {
	return in.op >= opLoad && in.op <= opMatrix && (in.space == sharedMemory || in.space == generic || in.space == localMemory && in.op == opStore)
}

// define notes which instructions set what.
func (c *code) define() {
	c.defs = defs{make([][]int32, c.registers), make([][]int32, c.predicates)}
	for k := range c.insts {
		registers, predicates := c.insts[k].results()
		for _, d := range registers {
			c.defs.registers[d] = append(c.defs.registers[d], int32(k))
		}
		for _, d := range predicates {
			c.defs.predicates[d] = append(c.defs.predicates[d], int32(k))
		}
	}
}

// shrink drops instructions that neither do anything nor set what others need.
func (c *code) shrink(needed *slice) {
	moved := make([]int32, len(c.insts)+1)
	kept := c.insts[:0]
	for k := range c.insts {
		moved[k] = int32(len(kept))
		in := c.insts[k]
		if in.flags&meets != 0 && !needed.insts[int32(k)] { // what it computes is of no use, that lanes meet is
			meeting := blank(opMeet)
			meeting.flags, meeting.guard, meeting.guardNot, meeting.place, meeting.members = meets, in.guard, in.guardNot, in.place, in.members
			in = meeting
		}
		if in.op != opNothing && (in.op == opMeet || in.op >= opBranch || in.accesses() || needed.insts[int32(k)]) {
			kept = append(kept, in)
		}
	}
	moved[len(c.insts)] = int32(len(kept))
	c.insts = kept
	for k := range kept {
		in := &kept[k]
		switch {
		case in.op == opBranch || in.op == opCall:
			in.target = moved[in.target]
		case in.op == opIndexed:
			for j, t := range in.extra.targets {
				in.extra.targets[j] = moved[t]
			}
		}
	}
	for k := range c.functions {
		c.functions[k] = [2]int32{moved[c.functions[k][0]], moved[c.functions[k][1]]}
	}
	c.define()
}

// slice is what values depend on, without regard to order.
type slice struct {
	insts                 map[int32]bool
	registers, predicates map[int32]bool
}

// slice follows registers and predicates back to all that may set them.
func (c *code) slice(roots []operand, tests []int32) *slice {
	s := &slice{map[int32]bool{}, map[int32]bool{}, map[int32]bool{}}
	var registers, predicates []int32
	for _, o := range roots {
		if o.reg >= 0 {
			registers = append(registers, o.reg)
		}
	}
	predicates = append(predicates, tests...)
	visit := func(list []int32) {
		for _, k := range list {
			if s.insts[k] {
				continue
			}
			s.insts[k] = true
			in := &c.insts[k]
			r, p := in.operandsOf()
			registers, predicates = append(registers, r...), append(predicates, p...)
			if in.guard >= 0 {
				predicates = append(predicates, in.guard)
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

// because says what an instruction's operands and guard may depend on that is not known.
func (c *code) because(in *inst) string {
	roots := []operand{in.a, in.b, in.c}
	if in.extra != nil {
		roots = append(roots, in.extra.operands...)
	}
	var tests []int32
	if in.guard >= 0 {
		tests = append(tests, in.guard)
	}
	if in.op == opBranch || in.op == opReturn || in.op == opExit {
		roots = nil
	}
	s := c.slice(roots, tests)
	var names []string
	for _, p := range c.slots {
		if s.registers[p.register] {
			name := p.name
			if p.offset != 0 {
				name = fmt.Sprintf("%s+%d", name, p.offset)
			}
			names = append(names, name)
		}
	}
	loads := 0
	for k := range s.insts {
		if in := &c.insts[k]; in.op == opLoad || in.op == opAtomic {
			loads++
		}
	}
	slices.Sort(names)
	switch {
	case len(names) > 0 && loads == 0:
		return "; it follows from the kernel's parameters, which --param gives: " + strings.Join(names, ", ")
	case loads > 0:
		return "; it may come from memory"
	}
	return ""
}

// fromShared reports whether an address may be one of shared memory.
func (c *code) fromShared(in *inst) bool {
	c.sharedOnce.Do(c.taint)
	return in.a.reg >= 0 && c.mayShared[in.a.reg]
}

// taint finds the registers that may hold generic addresses of shared memory.
func (c *code) taint() {
	uses := make([][]int32, c.registers)
	c.mayShared = make([]bool, c.registers)
	var todo []int32
	mark := func(k int32) {
		registers, _ := c.insts[k].results()
		for _, d := range registers {
			if !c.mayShared[d] {
				c.mayShared[d] = true
				todo = append(todo, d)
			}
		}
	}
	for k := range c.insts {
		in := &c.insts[k]
		registers, _ := in.operandsOf()
		for _, r := range registers {
			uses[r] = append(uses[r], int32(k))
		}
		switch {
		case in.op == opAdd && in.b.reg < 0 && in.b.imm == sharedSpace, in.op == opMapa, in.op == opLoad && in.space == sharedMemory:
			mark(int32(k))
		case in.op == opForget: // of whatever it was made
			mark(int32(k))
		}
	}
	c.mayShared[c.nothing] = true
	todo = append(todo, c.nothing)
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
func (c *code) stores() {
	var roots []operand
	for k := range c.insts {
		in := &c.insts[k]
		global := in.space == globalMemory || in.space == generic
		switch {
		case (in.op == opStore || in.op == opAtomic) && global:
			roots = append(roots, in.a)
		case in.op == opCopy && in.flags&toShared == 0:
			roots = append(roots, in.extra.operands[0])
		}
	}
	c.writes = c.slice(roots, nil).registers
}
