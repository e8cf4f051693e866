package ir

import (
	"maps"
	"slices"
)

// wraps is how many rounds take what is counted in a ring round twice, and one more, three at the least; and those behind which a
// counter is past what it is compared with, or cut off by, once.
func (n *numbers) wraps() (rounds []int64) {
	ring, past := int64(1), map[int64]bool{}
	counted := n.counted()
	again := map[int32]bool{} // predicates that loops go on by: a counter that one is compared with ends with it
	for k := range n.c.Insts {
		if in := &n.c.Insts[k]; in.Op == Branch && in.Guard >= 0 && in.Target <= int32(k) {
			again[in.Guard] = true
		}
	}
	for k := range n.c.Insts {
		in := &n.c.Insts[k]
		size := in.B.Imm
		switch {
		case in.A.Reg < 0 || in.Op.form().operands[0] != Register || !counted[in.A.Reg]:
			continue
		case in.Op == Convert && in.Result.Bits < 32:
			size = 1 << in.Result.Bits
		case in.B.Reg != -1:
			continue
		case in.Op == And:
			size++
		case in.Op == MulHigh || in.Op == MulWide:
			_, size = n.quotient(in)
		case in.Op != Rem && (in.Op != Setp || in.Mode != Equal && in.Mode != NotEqual || again[in.D]):
			continue
		}
		if size <= 1 || size > maxPast {
			continue
		}
		if past[size] = true; size <= maxRing {
			ring = max(ring, size)
		}
	}
	rounds = []int64{2*ring + 1}
	for _, size := range slices.Sorted(maps.Keys(past)) {
		if size > maxRing {
			rounds = append(rounds, size+2)
		}
	}
	return rounds[:min(len(rounds), 3)]
}

// again reports whether an instruction computes a register of what it has been.
func (n *numbers) again(in *Inst) bool {
	return in.D >= 0 && in.A.Reg >= 0 && !n.alone[in.D] && n.circle[in.D] == n.circle[in.A.Reg]
}

// counted are the registers that are made of what a constant is added to in each round.
func (n *numbers) counted() []bool {
	out := make([]bool, n.c.Registers)
	var todo []int32
	for k := range n.c.Insts {
		if in := &n.c.Insts[k]; in.Op == Add && in.B.Reg == -1 && n.again(in) && !out[in.D] {
			out[in.D] = true
			todo = append(todo, in.D)
		}
	}
	n.onward(out, todo)
	return out
}

// compared reports whether a comparison has an operand that is made of a register.
func (n *numbers) compared(reg int32) bool {
	made := make([]bool, n.c.Registers)
	made[reg] = true
	n.onward(made, []int32{reg})
	for k := range n.c.Insts {
		if in := &n.c.Insts[k]; in.Op == Setp && (in.A.Reg >= 0 && made[in.A.Reg] || in.B.Reg >= 0 && made[in.B.Reg]) {
			return true
		}
	}
	return false
}

// onward adds what is computed of registers.
func (n *numbers) onward(made []bool, todo []int32) {
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range n.uses[r] {
			if !n.c.Insts[k].Op.Does(Computes) {
				continue
			}
			registers, _ := n.c.Insts[k].Results()
			for _, d := range registers {
				if !made[d] {
					made[d] = true
					todo = append(todo, d)
				}
			}
		}
	}
}

// divisor is what an instruction divides A by; 1: it does not.
func (n *numbers) divisor(in *Inst) int64 {
	by, ok := n.constant(in.B)
	switch {
	case in.Op == MulHigh:
		if t, by := n.quotient(in); by > 0 && t == 32 {
			return by
		}
	case !ok || by <= 0 || by > mostNumber:
	case in.Op == Shr: // perhaps of a product that is there for a quotient
		for _, k := range definitions.of(n.c).registers[in.A.Reg] {
			if _, all := n.quotient(&n.c.Insts[k]); all > 0 {
				return all
			}
		}
		if by < 16 {
			return 1 << by
		}
	case in.Op == Div:
		return by
	}
	return 1
}

// quotient is what is divided by where compilers multiply instead and take the bits from t on: by 2^t/by, rounded up (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication"). 0: it is no such product.
func (n *numbers) quotient(in *Inst) (t, by int64) {
	if in.Op != MulHigh && (in.Op != MulWide || in.Result.Bits != 64) || in.Type.Bits != 32 || in.B.Reg != -1 || in.D < 0 {
		return 0, 0
	}
	factor := int64(uint32(in.B.Imm))
	if in.Op == MulHigh {
		t = 32
	}
	for _, k := range n.uses[in.D] {
		shr := &n.c.Insts[k]
		if s := shr.B.Imm; shr.Op == Shr && shr.B.Reg == -1 && (in.Op == MulHigh && s > 0 && s < 31 || in.Op == MulWide && s >= 32 && s < 60) {
			t = s
			if in.Op == MulHigh {
				t = 32 + s
			}
		}
	}
	if t == 0 || factor < 1<<16 {
		return 0, 0
	}
	by = (1<<t + factor/2) / factor
	if off := by*factor - 1<<t; by < 2 || by > maxPast || off < -by || off > by {
		return 0, 0
	}
	return t, by
}
