package ir

import (
	"maps"
	"slices"
)

// Limits of the numbers for an input.
const (
	maxNumbers  = 12
	mostNumber  = 1 << 14 // larger ones make executions long
	maxAsked    = 256     // comparisons with what is not constant
	maxRing     = 16      // stages
	maxPast     = 4096    // up to which a counter is followed
	maxConstant = 64      // how deep what a constant is made of is followed
)

// Numbers lists numbers for an input: those after which the kernel may do something else. These are the least ones, and those around the
// constants and the extents of the CTA that what is made of the input is compared with, and around the strides of what is counted up to it,
// times what it is divided by on the way. They find; that they are all there are is not said. The kernel is one that was reduced.
func (c *Kernel) Numbers(input string, block [3]int) []int64 {
	reg := c.inputRegister(input)
	if reg < 0 {
		return nil
	}
	return c.NumbersOf([]int32{reg}, block)
}

// NumbersOf lists numbers for what some registers are set to.
func (c *Kernel) NumbersOf(registers []int32, block [3]int) []int64 {
	n := &numbers{c: c, block: block, uses: c.uses(), scale: map[int32]int64{}, insts: map[int32]bool{}, found: map[int64]bool{}, constants: map[int32]constant{}}
	n.circle, n.alone = c.circles()
	n.rounds = n.wraps()
	for _, r := range registers {
		n.scale[r] = 1
		n.follow(r)
	}
	for k := int64(0); k <= 2; k++ {
		n.put(k)
	}
	for _, k := range slices.Sorted(maps.Keys(n.insts)) {
		n.around(k)
	}
	if n.steps || n.divides {
		delete(n.found, 0) // what is counted by it would never end, and a quotient is not defined
	}
	all := slices.Sorted(maps.Keys(n.found))
	if len(all) > maxNumbers { // the smallest, and the largest
		all = slices.Concat(all[:maxNumbers*2/3], all[len(all)-maxNumbers/3:])
	}
	return all
}

func (c *Kernel) inputRegister(input string) int32 {
	for r, name := range c.inputs() {
		if name == input {
			return r
		}
	}
	return -1
}

// numbers are found for one input.
type numbers struct {
	c       *Kernel
	block   [3]int
	uses    [][]int32 // instructions, by register that they read
	circle  []int32   // of registers: see circles
	alone   []bool
	asked   int             // comparisons that were looked into
	scale   map[int32]int64 // of registers made of the input: what it was divided by at most
	insts   map[int32]bool  // that have such a register as an operand
	steps   bool            // something is counted by it
	divides bool            // something is divided by it
	rounds  []int64         // of a loop after which all that counts in a ring has come round
	found   map[int64]bool

	constants map[int32]constant // by register
}

func (n *numbers) put(k int64) {
	if k >= 0 && k <= mostNumber {
		n.found[k] = true
	}
}

// near puts numbers around those at which k of what was divided begins.
func (n *numbers) near(k, scale int64) {
	if k >= 0 && k <= mostNumber {
		n.put(k*scale - 1)
		n.put(k * scale)
		n.put(k*scale + 1)
	}
}

// cut puts the numbers of which a part of so many values keeps nothing, or little.
func (n *numbers) cut(values int64) { n.found[values], n.found[values+1] = true, true }

// multiples puts numbers after which a loop that counts by a stride has another number of rounds.
func (n *numbers) multiples(stride, scale int64) {
	n.near(stride, scale)
	n.put(2*stride*scale + 1)
	for _, k := range n.rounds {
		n.put(k * stride * scale)
	}
}

// follow finds what is made of a register, through what computes.
func (n *numbers) follow(reg int32) {
	for todo := []int32{reg}; len(todo) > 0; {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range n.uses[r] {
			n.insts[k] = true
			in := &n.c.Insts[k]
			scale := n.scale[r]
			if in.A.Reg == r {
				scale *= n.divisor(in)
			}
			if !in.Op.Does(Computes) || scale > mostNumber {
				continue
			}
			registers, _ := in.Results()
			for _, d := range registers {
				if n.scale[d] < scale && (n.scale[d] == 0 || scale <= 1<<7) {
					n.scale[d] = scale
					todo = append(todo, d)
				}
			}
		}
	}
}

// around puts the numbers that an instruction with an operand made of the input suggests.
func (n *numbers) around(k int32) {
	in := &n.c.Insts[k]
	switch in.Op {
	case Rem, And, Div:
		if in.Op != And && in.B.Reg >= 0 && n.scale[in.B.Reg] > 0 {
			n.divides = true
		}
		if in.Op == Div {
			break
		}
		if by, ok := n.constant(in.B); ok && n.scale[in.A.Reg] > 0 {
			if in.Op == And && by&(by+1) == 0 { // a remainder
				by++
			}
			if n.near(by, n.scale[in.A.Reg]); by == 1<<16 {
				n.cut(by)
			}
		}
	case Convert:
		if bits := in.Result.Bits; bits <= 16 && bits < in.Type.Bits && n.scale[in.A.Reg] == 1 {
			n.cut(1 << bits)
		}
	case MulHigh, MulWide:
		if _, by := n.quotient(in); by > 0 && in.A.Reg >= 0 {
			n.near(by, n.scale[in.A.Reg])
		}
	case Add, Sub:
		if step, ok := n.stride(k); ok && n.scale[in.A.Reg] > 0 { // it is counted down
			n.multiples(step, n.scale[in.A.Reg])
		}
		if in.D >= 0 && in.A.Reg >= 0 && n.scale[in.B.Reg] > 0 && !n.steps && n.again(in) && n.compared(in.D) {
			n.steps = true
		}
	case Setp, Set, Min, Max:
		n.against(in.A, in.B)
		n.against(in.B, in.A)
	}
}

// against puts the numbers at which a comparison of what is made of the input with something else changes.
func (n *numbers) against(mine, other Operand) {
	scale := n.scale[mine.Reg]
	if mine.Reg < 0 || scale == 0 || n.scale[other.Reg] > 0 && other.Reg >= 0 {
		return
	}
	if k, ok := n.constant(other); ok {
		n.near(k, scale)
		return
	}
	if n.asked++; n.asked > maxAsked {
		return
	}
	s := n.c.slice([]Operand{other}, nil)
	for _, k := range slices.Sorted(maps.Keys(s.insts)) {
		if step, ok := n.stride(k); ok {
			n.multiples(step, scale)
		} else if in := &n.c.Insts[k]; in.Op == Add && in.B.Reg == -1 {
			n.near(in.B.Imm, scale)
		} else if (in.Op == Mad || in.Op == MadWide) && in.C.Reg == -1 {
			n.near(in.C.Imm, scale)
		}
	}
	for axis, name := range []string{"%tid.x", "%tid.y", "%tid.z"} {
		if r, read := n.c.Special[name]; read && s.registers[r] {
			n.near(int64(n.block[axis]), scale)
		}
	}
}

// stride is what an instruction adds to what it is made of itself.
func (n *numbers) stride(k int32) (int64, bool) {
	in := &n.c.Insts[k]
	if in.Op != Add && in.Op != Sub || in.D < 0 || in.A.Reg < 0 {
		return 0, false
	}
	step, ok := n.constant(in.B)
	if !ok || step == 0 || !n.again(in) {
		return 0, false
	}
	return max(step, -step), true
}

// constant is what an operand is, where that follows from the extents of the CTA.
func (n *numbers) constant(o Operand) (int64, bool) { return n.follows(o, 0) }

func (n *numbers) follows(o Operand, depth int) (int64, bool) {
	if o.Reg < 0 {
		return o.Imm, o != None
	}
	if v, met := n.constants[o.Reg]; met {
		return v.n, v.ok
	}
	n.constants[o.Reg] = constant{}
	v := n.compute(o.Reg, depth)
	n.constants[o.Reg] = v
	return v.n, v.ok
}

// constant is a number, if ok.
type constant struct {
	n  int64
	ok bool
}

func (n *numbers) compute(reg int32, depth int) (out constant) {
	for axis, name := range []string{"%ntid.x", "%ntid.y", "%ntid.z"} {
		if r, read := n.c.Special[name]; read && r == reg {
			return constant{int64(n.block[axis]), true}
		}
	}
	d := definitions.of(n.c).registers[reg]
	if len(d) != 1 || depth > maxConstant {
		return out
	}
	in := &n.c.Insts[d[0]]
	if !in.Op.Does(Integer) || in.Guard >= 0 || in.Extra != nil || in.D != reg {
		return out
	}
	var v [3]int64
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		if o == None {
			continue
		}
		var ok bool
		if v[k], ok = n.follows(o, depth+1); !ok {
			return out
		}
	}
	out.n, out.ok = in.Compute(v[0], v[1], v[2], 0)
	return out
}

// Integers are the inputs that may be given numbers: where the CTA is, and the parameters that are neither data nor what addresses of
// memory start from. The kernel is a whole one.
func (c *Kernel) Integers() map[string]bool {
	out := map[string]bool{}
	bases := c.Bases()
	for r, name := range c.inputs() {
		out[name] = !bases[r] && !(r < int32(len(c.Types)) && c.Types[r].Data)
	}
	return out
}

// Pointers are addresses that a parameter may have which memory is accessed by, as far as it matters what they are: one that is aligned to
// all that is accessed, one that is so to the least of vectors only, and none. Those of two parameters are far apart.
func (c *Kernel) Pointers(input string) []int64 {
	for k, s := range c.Slots {
		if s.Called() == input && s.Pointer && !c.Types[s.Register].Data {
			at := int64(16)<<WindowBits + int64(k)<<32
			return []int64{at, at + 4, 0}
		}
	}
	return nil
}

// Bases are the registers that addresses of memory start from.
func (c *Kernel) Bases() map[int32]bool {
	out := map[int32]bool{}
	var todo []int32
	put := func(o Operand) {
		if o.Reg >= 0 && !out[o.Reg] {
			out[o.Reg] = true
			todo = append(todo, o.Reg)
		}
	}
	for k := range c.Insts {
		switch in := &c.Insts[k]; {
		case in.Op.Accesses():
			put(in.A)
		case in.Op == Async:
			for _, o := range in.Extra.Operands[:min(2, len(in.Extra.Operands))] {
				put(o)
			}
		}
	}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range definitions.of(c).registers[r] {
			if in := &c.Insts[k]; (in.Op == Move || in.Op == Add || in.Op == Sub) && in.Type.Bits == 64 {
				put(in.A)
				if in.Op == Add {
					put(in.B)
				}
			}
		}
	}
	return out
}
