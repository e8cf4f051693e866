package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Loop is a natural loop: the blocks from which its header is come to again without another way in.
type Loop struct {
	Header  int32
	Latches []int32 // blocks from which control goes back to the header
	Blocks  []int32
	Outer   int // the loop that it is in, of all loops; -1: none
	// Counter is the register that each round adds Step to, where that is plain: one instruction that every round comes by does
	// it, and no other one in the loop sets it. -1: none.
	Counter int32
	Step    int64
	// Exit is the branch that leaves by what Test says, in every round: that instruction compares the counter with Bound, which the loop
	// does not change. Another round follows as long as the counter is there as While says. -1: none.
	Exit  int32
	Test  int32
	While uint8
	Type  Type
	Bound Operand
}

var loops = &pass[[]*Loop]{name: "loops", number: 2, needs: []Pass{controlFlow, definitions}, run: (*Kernel).findLoops, print: (*Kernel).printLoops,
	doc: "the natural loops, with what they count and what ends them where that is plain"}

// Loops lists the kernel's natural loops, the outer ones before those in them.
func (c *Kernel) Loops() []*Loop { return loops.of(c) }

func (c *Kernel) findLoops() []*Loop {
	fl := c.Flow()
	headed := map[int32]*Loop{}
	var out []*Loop
	for b := range int32(fl.Blocks()) {
		for _, h := range fl.next[b] {
			if !fl.Dominates(h, b) {
				continue
			}
			if headed[h] == nil {
				headed[h] = &Loop{Header: h, Outer: -1, Counter: -1, Exit: -1, Test: -1}
				out = append(out, headed[h])
			}
			headed[h].Latches = append(headed[h].Latches, b)
		}
	}
	most := maxLoopBlocks
	out = slices.DeleteFunc(out, func(l *Loop) bool {
		most -= l.fill(fl, most)
		return most < 0
	})
	slices.SortFunc(out, func(a, b *Loop) int {
		if n := len(b.Blocks) - len(a.Blocks); n != 0 {
			return n
		}
		return int(a.Header - b.Header)
	})
	innermost := make([]*Loop, fl.Blocks())
	number := map[*Loop]int{nil: -1}
	for k, l := range out {
		number[l], l.Outer = k, number[innermost[l.Header]]
		for _, b := range l.Blocks {
			innermost[b] = l
		}
	}
	for _, l := range out {
		c.count(l, innermost)
	}
	return out
}

// maxLoopBlocks bounds the blocks of all loops together, which loops in loops make many of: those behind it are not told.
const maxLoopBlocks = 1 << 22

// fill finds the blocks: those from which a latch is come to without the header. It says how many, more than most if they were not all looked for.
func (l *Loop) fill(fl *Flow, most int) int {
	in := map[int32]bool{l.Header: true}
	todo := slices.Clone(l.Latches)
	for len(todo) > 0 && len(l.Blocks) <= most {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !in[b] && fl.Reached(b) {
			in[b] = true
			l.Blocks = append(l.Blocks, b)
			todo = append(todo, fl.before[b]...)
		}
	}
	l.Blocks = append(l.Blocks, l.Header)
	slices.Sort(l.Blocks)
	l.Blocks = slices.Compact(l.Blocks)
	return len(l.Blocks)
}

// Has reports whether a block is in the loop.
func (l *Loop) Has(block int32) bool {
	_, ok := slices.BinarySearch(l.Blocks, block)
	return ok
}

// always reports whether each round that is not the last comes to a block.
func (l *Loop) always(fl *Flow, block int32) bool {
	return !slices.ContainsFunc(l.Latches, func(latch int32) bool { return !fl.Dominates(block, latch) })
}

// Looped reports whether an instruction is in a loop.
func (c *Kernel) Looped(pc int32) bool { return c.Innermost(pc) != nil }

const (
	maxCycle  = 64      // rounds after which a loop may do something else
	maxPasses = 8       // over a loop, to find what goes on in it
	maxLooked = 1 << 20 // instructions of it
)

// Cycle is how many rounds a loop that is in no other one takes, as far as its own constants say, until it has done what it does: what goes on from round to round starts at constants, is
// compared with some, and is divided by some. What shared memory holds may go on, too. known is false where these are too great, or where one round of them all is another that the kernel's
// input says, or that two things which go on do.
func (c *Kernel) Cycle(pc int32) (rounds int64, known bool) {
	l := c.Innermost(pc)
	if l == nil || l.Outer >= 0 {
		return 0, false
	}
	left := maxLooked
	insts := c.within(l, &left)
	if left < 0 {
		return 0, false
	}
	goes, start, known := c.goesOn(l, insts)
	if !known {
		return 0, false
	}
	parts, most := int64(1), int64(0)
	for _, k := range insts {
		in := &c.Insts[k]
		switch in.Op {
		case Setp, Rem, Div, And, Shr:
		default:
			continue
		}
		other := in.B
		switch a, b := goes[in.A.Reg], goes[in.B.Reg]; {
		case in.Type.Data, !a && !b:
			continue
		case a && b:
			return 0, false
		case b:
			other = in.A
		}
		n, constant := c.constantOf(other)
		switch {
		case constant && (n > maxCycle || n < -maxCycle):
			return 0, false
		case constant && in.Op == Setp:
			most = max(most, n, -n)
		case constant && in.Op == Shr:
			parts <<= min(max(n, 0), 7)
		case constant && in.Op == And && n >= 0:
			parts *= n + 1
		case constant:
			parts *= max(n, -n, 1)
		case in.Op != Setp, in.Named() == "eq", in.Named() == "ne": // more or less than it is, a round is as any other one
			return 0, false
		}
		if parts*(start+most+1) > maxCycle {
			return 0, false
		}
	}
	rounds = parts * (start + most + 1)
	return rounds, rounds <= maxCycle
}

// goesOn are the registers of a loop that go on from round to round, that is, are set before it, too, what is loaded from shared memory, and what is made of these in it; and
// the greatest constant that one of them starts at. known is false where that was not found soon.
func (c *Kernel) goesOn(l *Loop, insts []int32) (goes map[int32]bool, start int64, known bool) {
	d := definitions.of(c)
	goes = map[int32]bool{}
	for _, k := range insts {
		in := &c.Insts[k]
		registers, _ := in.Results()
		for _, r := range registers {
			all := d.registers[r]
			if in.Result.Data || len(c.inside(l, all)) == len(all) {
				goes[r] = goes[r] || in.Op == Load && in.Space == Shared
				continue
			}
			goes[r] = true
			for _, o := range all {
				if from := &c.Insts[o]; !l.Has(c.Flow().BlockOf(o)) && from.Op == Move {
					if n, constant := c.constantOf(from.A); constant {
						start = max(start, n, -n)
					}
				}
			}
		}
	}
	for range maxPasses {
		more := false
		for _, k := range insts {
			in := &c.Insts[k]
			operands, _ := in.OperandsOf()
			if !in.Op.Does(Integer) && in.Op != Select || !slices.ContainsFunc(operands, func(r int32) bool { return goes[r] }) {
				continue
			}
			registers, _ := in.Results()
			for _, r := range registers {
				more = more || !goes[r]
				goes[r] = true
			}
		}
		if !more {
			return goes, start, start <= maxCycle
		}
	}
	return nil, 0, false
}

// constantOf is what an operand is in all rounds, if that is a number: a constant, or a register that is set to one alone.
func (c *Kernel) constantOf(o Operand) (int64, bool) {
	for o.Reg >= 0 {
		from := definitions.of(c).registers[o.Reg]
		if len(from) != 1 || c.Insts[from[0]].Op != Move || c.Insts[from[0]].Guard >= 0 {
			return 0, false
		}
		o = c.Insts[from[0]].A
	}
	return o.Imm, o.Reg == -1 && o.Of == 0
}

// Innermost is the innermost loop that an instruction is in; nil: none.
func (c *Kernel) Innermost(pc int32) *Loop {
	all, b := c.Loops(), c.Flow().BlockOf(pc)
	for k := len(all) - 1; k >= 0; k-- { // the inner ones come last
		if all[k].Has(b) {
			return all[k]
		}
	}
	return nil
}

// Leaves reports whether one way of a branch, and not the other, leaves the innermost loop that it is in.
func (c *Kernel) Leaves(pc int32) bool {
	l, fl := c.Innermost(pc), c.Flow()
	return l != nil && pc+1 < int32(len(c.Insts)) && l.Has(fl.BlockOf(c.Insts[pc].Target)) != l.Has(fl.BlockOf(pc+1))
}

// Counted reports whether a branch ends a loop as its counter says.
func (c *Kernel) Counted(pc int32) bool {
	l := c.Innermost(pc)
	return l != nil && l.Exit == pc
}

// Stays reports whether a branch that leaves a loop stays in it where it is taken.
func (c *Kernel) Stays(pc int32) bool {
	return c.Innermost(pc).Has(c.Flow().BlockOf(c.Insts[pc].Target))
}

// inside lists those of some instructions that are in the loop.
func (c *Kernel) inside(l *Loop, insts []int32) (out []int32) {
	first, last := c.Flow().Start(l.Blocks[0]), c.Flow().Last(l.Blocks[len(l.Blocks)-1])
	n, _ := slices.BinarySearch(insts, first)
	for _, k := range insts[n:] {
		if k > last {
			break
		}
		if l.Has(c.Flow().BlockOf(k)) {
			out = append(out, k)
		}
	}
	return out
}

// count looks for the register that the loop counts with: that of a comparison by which it is left, before any other.
func (c *Kernel) count(l *Loop, innermost []*Loop) {
	fl, calls := c.Flow(), false
	for _, b := range l.Blocks {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			calls = calls || c.Insts[k].Op == Call // its function may set anything
		}
	}
	if calls {
		return
	}
	for _, b := range l.Blocks {
		if c.exit(l, innermost, b); l.Exit >= 0 {
			return
		}
	}
	for _, b := range l.Blocks {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			if step, ok := c.step(l, innermost, k); ok {
				l.Counter, l.Step = c.Insts[k].D, step
				return
			}
		}
	}
}

// step is what an instruction adds to its own register in every round, once: as a sum, or as a copy of one that its block has just made.
func (c *Kernel) step(l *Loop, innermost []*Loop, k int32) (int64, bool) {
	set, fl := &c.Insts[k], c.Flow()
	b, in := fl.BlockOf(k), set
	if set.Op == Move && set.Guard < 0 && set.A.Reg >= 0 {
		if made := definitions.of(c).registers[set.A.Reg]; len(made) == 1 && made[0] < k && fl.BlockOf(made[0]) == b && c.Insts[made[0]].Type == set.Type {
			in = &c.Insts[made[0]]
		}
	}
	if in.Op != Add && in.Op != Sub || in.Guard >= 0 || set.D < 0 || in.A.Reg != set.D || in.B.Reg != -1 || in.B.Imm == 0 {
		return 0, false
	}
	if innermost[b] != l || !l.always(fl, b) {
		return 0, false
	}
	if len(c.inside(l, definitions.of(c).registers[set.D])) != 1 {
		return 0, false
	}
	if in.Op == Sub {
		return -in.B.Imm, true
	}
	return in.B.Imm, true
}

// exit looks whether a block ends with the branch that leaves the loop by a comparison of a counter.
func (c *Kernel) exit(l *Loop, innermost []*Loop, b int32) {
	fl, d := c.Flow(), definitions.of(c)
	pc := fl.Last(b)
	in := &c.Insts[pc]
	if in.Op != Branch || in.Guard < 0 || int(pc)+1 >= len(c.Insts) {
		return
	}
	taken, passed := l.Has(fl.BlockOf(in.Target)), l.Has(fl.BlockOf(pc+1))
	if taken == passed || !l.always(fl, b) {
		return
	}
	tests := c.inside(l, d.predicates[in.Guard])
	if len(tests) != 1 {
		return
	}
	test := &c.Insts[tests[0]]
	if test.Op != Setp || test.D != in.Guard || test.Join != 0 || test.Guard >= 0 || !fl.Dominates(fl.BlockOf(tests[0]), b) {
		return // of those that do not dominate the branch it may be the answer of the round before
	}
	for side, o := range []Operand{test.A, test.B} {
		bound := []Operand{test.B, test.A}[side]
		if o.Reg < 0 || bound.Reg >= 0 && len(c.inside(l, d.registers[bound.Reg])) > 0 {
			continue
		}
		adds := c.inside(l, d.registers[o.Reg])
		if len(adds) != 1 {
			continue
		}
		step, ok := c.step(l, innermost, adds[0])
		if !ok {
			continue
		}
		l.Counter, l.Step, l.Exit, l.Test, l.Bound, l.While, l.Type = o.Reg, step, pc, tests[0], bound, test.Mode, test.Type
		if side == 1 {
			l.While = [...]uint8{0, Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual}[l.While]
		}
		if taken == in.GuardNot { // a round follows where the comparison does not hold
			l.While = [...]uint8{0, NotEqual, Equal, GreaterEqual, Greater, LessEqual, Less}[l.While]
		}
		return
	}
}

func (c *Kernel) printLoops(all []*Loop) string {
	var out strings.Builder
	p := c.printer()
	for _, l := range all {
		fmt.Fprintf(&out, "loop b%d: blocks", l.Header)
		for _, b := range l.Blocks {
			fmt.Fprintf(&out, " b%d", b)
		}
		out.WriteString("; back from")
		for _, b := range l.Latches {
			fmt.Fprintf(&out, " b%d", b)
		}
		if l.Outer >= 0 {
			fmt.Fprintf(&out, "; in loop b%d", all[l.Outer].Header)
		}
		if l.Counter >= 0 {
			fmt.Fprintf(&out, "; counts %s by %d", p.register(l.Counter), l.Step)
		}
		if l.Exit >= 0 {
			fmt.Fprintf(&out, " while %s.%s %s", comparing[l.While], l.Type, p.operand(l.Bound, Register))
		}
		out.WriteString("\n")
	}
	return out.String()
}
