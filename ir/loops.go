package ir

import (
	"fmt"
	"slices"
	"strings"
	"sync"
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
	inmost := make([]*Loop, fl.Blocks())
	number := map[*Loop]int{nil: -1}
	for k, l := range out {
		number[l], l.Outer = k, number[inmost[l.Header]]
		for _, b := range l.Blocks {
			inmost[b] = l
		}
	}
	for _, l := range out {
		c.count(l, inmost)
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
func (c *Kernel) Looped(pc int32) bool { return c.inmost(pc) != nil }

const (
	maxCycle      = 64      // numbers after which a loop may do something else
	maxCycleInsts = 1 << 12 // of a loop that is looked at for them
)

// cycles are those of loops, by number, once they were asked for.
type cycles struct {
	mu    sync.Mutex
	known map[*Loop]cycle
}

type cycle struct {
	rounds int64
	known  bool
}

// Cycle is a number of rounds after which the innermost loop around an instruction does nothing new as far as its own constants say: the greatest number that what goes on from
// round to round is compared with, or divided by. known is false where that is too great.
func (c *Kernel) Cycle(pc int32) (rounds int64, known bool) {
	l := c.inmost(pc)
	if l == nil {
		return 0, false
	}
	c.cycles.mu.Lock()
	defer c.cycles.mu.Unlock()
	of, met := c.cycles.known[l]
	if !met {
		of.rounds, of.known = c.cycleOf(l)
		if c.cycles.known == nil {
			c.cycles.known = map[*Loop]cycle{}
		}
		c.cycles.known[l] = of
	}
	return of.rounds, of.known
}

func (c *Kernel) cycleOf(l *Loop) (rounds int64, known bool) {
	size := int32(0)
	for _, b := range l.Blocks {
		size += c.Flow().Last(b) - c.Flow().Start(b) + 1
	}
	if size > maxCycleInsts {
		return 0, false
	}
	goes := map[int32]bool{} // instructions whose result goes on from round to round
	var compared []int32
	for n := range c.Insts {
		k := int32(n)
		if !l.Has(c.Flow().BlockOf(k)) {
			continue
		}
		switch c.Insts[n].Op {
		case Add, Sub, Mad, Select, Xor, And, Rem:
			if c.madeIn(l, k)[k] {
				goes[k] = true
			}
		}
		switch c.Insts[n].Op {
		case Setp, Rem, And, Div:
			compared = append(compared, k)
		}
	}
	for _, k := range compared {
		in := &c.Insts[k]
		made := c.madeIn(l, k)
		made[k] = goes[k]
		advances := false
		for g := range goes {
			advances = advances || made[g]
		}
		if !advances {
			continue
		}
		for _, o := range []Operand{in.A, in.B} {
			n, constant := c.constantOf(o)
			if in.Op == And && constant {
				n++
			}
			if constant && (n > maxCycle || n < -maxCycle) {
				return 0, false
			}
			rounds = max(rounds, n, -n)
		}
	}
	return rounds, true
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

// Depth is in how many loops, one in the other, an instruction is.
func (c *Kernel) Depth(pc int32) (n int) {
	b := c.Flow().BlockOf(pc)
	for _, l := range c.Loops() {
		if l.Has(b) {
			n++
		}
	}
	return n
}

// inmost is the innermost loop that an instruction is in; nil: none.
func (c *Kernel) inmost(pc int32) *Loop {
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
	l, fl := c.inmost(pc), c.Flow()
	return l != nil && pc+1 < int32(len(c.Insts)) && l.Has(fl.BlockOf(c.Insts[pc].Target)) != l.Has(fl.BlockOf(pc+1))
}

// Counted reports whether a branch ends a loop as its counter says.
func (c *Kernel) Counted(pc int32) bool {
	l := c.inmost(pc)
	return l != nil && l.Exit == pc
}

// Stays reports whether a branch that leaves a loop stays in it where it is taken.
func (c *Kernel) Stays(pc int32) bool { return c.inmost(pc).Has(c.Flow().BlockOf(c.Insts[pc].Target)) }

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
func (c *Kernel) count(l *Loop, inmost []*Loop) {
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
		if c.exit(l, inmost, b); l.Exit >= 0 {
			return
		}
	}
	for _, b := range l.Blocks {
		for k := fl.Start(b); k <= fl.Last(b); k++ {
			if step, ok := c.step(l, inmost, k); ok {
				l.Counter, l.Step = c.Insts[k].D, step
				return
			}
		}
	}
}

// step is what an instruction adds to its own register in every round, once.
func (c *Kernel) step(l *Loop, inmost []*Loop, k int32) (int64, bool) {
	in, fl := &c.Insts[k], c.Flow()
	if in.Op != Add && in.Op != Sub || in.Guard >= 0 || in.D < 0 || in.A.Reg != in.D || in.B.Reg != -1 || in.B.Imm == 0 {
		return 0, false
	}
	b := fl.BlockOf(k)
	if inmost[b] != l || !l.always(fl, b) {
		return 0, false
	}
	if len(c.inside(l, definitions.of(c).registers[in.D])) != 1 {
		return 0, false
	}
	if in.Op == Sub {
		return -in.B.Imm, true
	}
	return in.B.Imm, true
}

// exit looks whether a block ends with the branch that leaves the loop by a comparison of a counter.
func (c *Kernel) exit(l *Loop, inmost []*Loop, b int32) {
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
		step, ok := c.step(l, inmost, adds[0])
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
