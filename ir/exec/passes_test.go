package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
)

// TestPassesAreSound executes random kernels: what passes say is the same for all threads of a warp, or of a CTA, is, and loops count and
// end as they say.
func TestPassesAreSound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	told, counted := map[ir.Level]int{}, 0
	for range 1500 {
		text := branching(r)
		k, err := ir.Parse("k.ir", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if why := contradicted(k, told, &counted); why != "" {
			t.Fatalf("%s\n%s", why, text)
		}
	}
	if counted < 4_000 {
		t.Errorf("%d rounds of loops that are said to count, expected 4000", counted)
	}
	for _, l := range []ir.Level{ir.UniformCTA, ir.UniformWarp, ir.Varying} {
		if told[l] < 4_000 {
			t.Errorf("%d values that the pass says are %s, expected 4000", told[l], l)
		}
	}
}

// contradicted says which result of the pass is wrong in some execution; told counts what it says of the results of instructions, and counted the
// rounds of loops that are said to count.
func contradicted(k *ir.Kernel, told map[ir.Level]int, counted *int) (why string) {
	c := k.Reduced(true)
	u := c.Uniformity()
	m := newMachine(c, Launch{Block: [3]int{80, 1, 1}, Cluster: [3]int{1, 1, 1}, Grid: [3]int{4, 1, 1}, CTA: &[3]int{2, 0, 0}, Params: map[string]int64{"n": 3, "q": 1 << 44}})
	m.populate()
	m.mostSteps = 5000
	first := map[[3]int32]value{} // of the first warp: instruction, how often it was there, result
	passed := map[[2]int32]int32{}
	m.watch = func(w *warp, pc int32, mask uint32) {
		in := &c.Insts[pc]
		say := func(format string, args ...any) {
			if why == "" {
				why = fmt.Sprintf("instruction %d, %s, warp %d, lanes %#x: ", pc, in.Op, w.index, mask) + fmt.Sprintf(format, args...)
			}
		}
		if in.Op != ir.Return && in.Op != ir.Exit && u.Insts[pc] <= ir.UniformWarp && mask != w.alive {
			say("the pass says that all threads of the warp come together; these are %#x", w.alive)
		}
		at := [2]int32{int32(w.index), pc}
		passed[at]++
		registers, predicates := in.Results()
		for n, d := range registers {
			level := u.Registers[d]
			told[level]++
			v := w.registers[d]
			sym, x := v.lane(trailing(mask))
			if level == ir.Varying || sym == unknown {
				continue
			}
			for l := range ir.Lanes {
				if s, y := v.lane(l); mask>>l&1 != 0 && (s != sym || y != x) {
					say("%s is said to be %s; lane %d has %d, lane %d has %d", c.Names[d], level, trailing(mask), x, l, y)
				}
			}
			key, now := [3]int32{pc, passed[at], int32(n)}, value{base: x, sym: sym}
			if old, ok := first[key]; ok && level == ir.UniformCTA && old != now {
				say("%s is said to be cta; another warp has %d, this one %d", c.Names[d], old.base, x)
			}
			first[key] = now
		}
		for _, d := range predicates {
			level := u.Predicates[d]
			told[level]++
			p := w.predicates[d]
			if ones := p.bits & mask; level != ir.Varying && p.open&mask == 0 && ones != 0 && ones != mask {
				say("%s is said to be %s; it is true for %#x", c.Tests[d], level, ones)
			}
		}
	}
	rounds := map[*ir.Loop]map[*warp]map[int]int64{} // what lanes counted in the round before
	for _, l := range c.Loops() {
		rounds[l] = map[*warp]map[int]int64{}
	}
	uniform := m.watch
	m.watch = func(w *warp, pc int32, mask uint32) {
		if w.steps > 4000 { // a loop may not end
			return
		}
		uniform(w, pc, mask)
		for l, before := range rounds {
			if before[w] == nil {
				before[w] = map[int]int64{}
			}
			for lane := range ir.Lanes {
				switch {
				case mask>>lane&1 == 0 || l.Test < 0:
				case !l.Has(c.Flow().BlockOf(pc)):
					delete(before[w], lane)
				case pc == l.Test:
					_, x := w.registers[l.Counter].lane(lane)
					if last, again := before[w][lane]; again && int32(x) != int32(last+l.Step) && why == "" {
						why = fmt.Sprintf("loop of instruction %d: %s is said to go by %d; it was %d and is %d", pc, c.Names[l.Counter], l.Step, last, x)
					}
					before[w][lane] = x
					*counted++
					bound := l.Bound.Imm
					if l.Bound.Reg >= 0 {
						_, bound = w.registers[l.Bound.Reg].lane(lane)
					}
					goes := l.Type.Holds(l.While, l.Type.Bring(x), l.Type.Bring(bound))
					exit := &c.Insts[l.Exit]
					taken := w.predicates[exit.Guard].bits>>lane&1 != 0 != exit.GuardNot
					if again := taken == l.Has(c.Flow().BlockOf(exit.Target)); again != goes && why == "" {
						why = fmt.Sprintf("loop of instruction %d: %s is %d, its bound %d; that a round follows is %t", pc, c.Names[l.Counter], x, bound, again)
					}
				}
			}
		}
	}
	for _, w := range m.warps {
		w.run()
	}
	return why
}

// branching is a kernel that computes with what is the same for the CTA, for warps, and for none, in branches, loops and functions.
func branching(r *rand.Rand) string {
	var out strings.Builder
	out.WriteString("predicates %p0, %p1, %p2\nspecial %tid.x, %ctaid.x, %ntid.x, %warpid, %laneid\npart n = n+0\npart q = q+0 pointer\n")
	registers, wide := []string{"%r0", "%r1", "%r2", "%r3", "%r4"}, []string{"%d0", "%d1"}
	label, depth := 0, 0
	source := func() string {
		if r.IntN(3) == 0 {
			return []string{"%tid.x", "%ntid.x", "%warpid", "%laneid", "n", "%ctaid.x"}[r.IntN(6)]
		}
		return registers[r.IntN(len(registers))]
	}
	guard := func() string {
		if r.IntN(4) > 0 {
			return ""
		}
		return "@" + []string{"", "!"}[r.IntN(2)] + fmt.Sprintf("%%p%d ", r.IntN(3))
	}
	var block func(calls bool)
	one := func(calls bool) {
		switch n := r.IntN(21); {
		case n == 20:
			fmt.Fprintf(&out, "%sbarrier.cta %d, 0\n", guard(), r.IntN(4))
		case n == 17:
			fmt.Fprintf(&out, "%%p%d = logic.%s %%p%d, %s%%p%d\n", r.IntN(3), []string{"and", "or", "xor"}[r.IntN(3)], r.IntN(3), []string{"", "!"}[r.IntN(2)], r.IntN(3))
		case n == 18:
			fmt.Fprintf(&out, "%s%s\n", guard(), []string{"store.shared.b32 [" + source() + "+4], 0 size 4", "store.shared.b32 [" + source() + "], 0 size 4",
				"%d2 = add.b64 " + wide[r.IntN(2)] + ", 1099511627776\nstore.b32 [%d2], 0 size 4", "%d2 = add.b64 " + wide[r.IntN(2)] + ", q\nstore.b64 [%d2], 0 size 8",
				"%d2 = add.b64 " + wide[r.IntN(2)] + ", q\nstore.global.b32 [%d2-4], 0 size 4"}[r.IntN(5)])
		case n == 19: // a comparison, and an access that is made where it holds
			pick := func(of ...string) string { return of[r.IntN(len(of))] }
			a, p := pick("%tid.x", "%laneid", source()), pick("%p0", "%p1")
			if r.IntN(3) == 0 {
				fmt.Fprintf(&out, "%%y = %s.b32 %s, %s\n", pick("add", "sub"), a, pick("%laneid", "%warpid", "n"))
				a = "%y"
			}
			compare := func(join string) {
				fmt.Fprintf(&out, "%s = setp.%s%s.%s %s, %s%s\n", p, pick("eq", "lt", "le", "gt", "ge"), join, pick("b32", "s32"), a, pick("1", "5", "20", "-1"), map[bool]string{true: ", " + p}[join != ""])
			}
			compare("")
			switch r.IntN(5) {
			case 0:
				compare(pick(".and", ".or"))
			case 1:
				fmt.Fprintf(&out, "%s = logic.%s %s, %s%s\n", p, pick("and", "or"), p, pick("", "!"), pick("%p0", "%p1", "%p2"))
			case 2:
				fmt.Fprintf(&out, "%s = logic.not %s\n", p, p)
			}
			access := fmt.Sprintf("store.shared.b32 [%%x], 0 size 4\n%%y = add.b32 %%x, %s\nstore.shared.b32 [%%y], 0 size 4\n", pick("4", a))
			if r.IntN(5) == 0 { // a generic one
				access = "%d2 = convert.b64.b32 %x\n%d2 = add.b64 %d2, 1099511627776\n" + pick("", "%d2 = add.b64 %d2, q\n") + "store.b32 [%d2], 0 size 4\n"
			}
			fmt.Fprintf(&out, "%%x = mad.b32 %s, %s, %d\n", a, pick("4", "1", "-4"), r.IntN(3)*100)
			if r.IntN(2) == 0 {
				fmt.Fprintf(&out, "@%s%s %s", pick("", "!"), p, access)
				break
			}
			fmt.Fprintf(&out, "@%s%s branch b%d\n%sb%d:\n", pick("", "!"), p, label, access, label)
			label++
		case n == 20:
			fmt.Fprintf(&out, "%sbarrier.cta %d, 0\n", guard(), r.IntN(4))
		case n == 17:
			fmt.Fprintf(&out, "%%p%d = logic.%s %%p%d, %s%%p%d\n", r.IntN(3), []string{"and", "or", "xor"}[r.IntN(3)], r.IntN(3), []string{"", "!"}[r.IntN(2)], r.IntN(3))
		case n == 18:
			fmt.Fprintf(&out, "%s%s\n", guard(), []string{"store.shared.b32 [" + source() + "+4], 0 size 4", "store.shared.b32 [" + source() + "], 0 size 4",
				"%d2 = add.b64 " + wide[r.IntN(2)] + ", 1099511627776\nstore.b32 [%d2], 0 size 4", "%d2 = add.b64 " + wide[r.IntN(2)] + ", q\nstore.b64 [%d2], 0 size 8",
				"%d2 = add.b64 " + wide[r.IntN(2)] + ", q\nstore.global.b32 [%d2-4], 0 size 4"}[r.IntN(5)])
		case n == 19: // a comparison, and an access that is made where it holds
			a, by := source(), []string{"4", "1", "-4"}[r.IntN(3)]
			fmt.Fprintf(&out, "%%p%d = setp.%s.%s %s, %d\n%%x = mad.b32 %s, %s, %d\n@%s%%p%d store.shared.b32 [%%x], 0 size 4\n", 0, []string{"eq", "lt", "le", "gt", "ge"}[r.IntN(5)], []string{"b32", "s32"}[r.IntN(2)], a, r.IntN(30),
				a, by, r.IntN(64), []string{"", "!"}[r.IntN(2)], 0)
		case n == 13: // of 64 bits
			fmt.Fprintf(&out, "%s%s = %s %s, %s\n", guard(), wide[r.IntN(2)], []string{"mul.wide.s64.s32", "mul.wide.b64.b32"}[r.IntN(2)], source(), []string{"4", "-8", "1"}[r.IntN(3)])
		case n == 14:
			fmt.Fprintf(&out, "%s%s = %s.b64 %s, %s\n", guard(), wide[r.IntN(2)], []string{"add", "sub", "and", "or", "shl", "mul"}[r.IntN(6)], wide[r.IntN(2)], []string{wide[r.IntN(2)], "4", "7"}[r.IntN(3)])
		case n == 15:
			fmt.Fprintf(&out, "%s%s\n", guard(), []string{
				wide[r.IntN(2)] + " = convert.b64.b32 " + source(), wide[r.IntN(2)] + " = convert.s64.s32 " + source(), registers[r.IntN(5)] + " = convert.b32.b64 " + wide[r.IntN(2)],
				registers[r.IntN(5)] + " = convert.s32.s8 " + source(), registers[r.IntN(5)] + " = convert.b16.b32 " + source()}[r.IntN(5)])
		case n == 16:
			op := []string{"shl.b32", "shr.s32", "shr.b32", "rem.s32", "rem.b32", "div.s32", "div.b32", "min.s32", "max.b32", "or.b32", "sub.s32"}[r.IntN(11)]
			fmt.Fprintf(&out, "%s%s = %s %s, %s\n", guard(), registers[r.IntN(5)], op, source(), []string{"1", "4", "5", "31"}[r.IntN(4)])
		case n < 5:
			fmt.Fprintf(&out, "%s%s = %s.b32 %s, %s\n", guard(), registers[r.IntN(5)], []string{"add", "and", "xor", "shr", "mul"}[r.IntN(5)], source(), []string{source(), "1", "3", "-4", "2147483647"}[r.IntN(5)])
		case n < 7:
			join, last := "", ""
			if r.IntN(4) == 0 {
				join, last = []string{".and", ".or"}[r.IntN(2)], fmt.Sprintf(", %%p%d", r.IntN(3))
			}
			fmt.Fprintf(&out, "%%p%d = setp.%s%s.%s %s, %s%s\n", r.IntN(3), []string{"eq", "lt", "ne", "le", "gt", "ge"}[r.IntN(6)], join, []string{"b32", "s32"}[r.IntN(2)], source(),
				[]string{"0", "1", "3", "16", "-2", source()}[r.IntN(6)], last)
		case n == 7:
			fmt.Fprintf(&out, "%s = select.b32 %s, %s, %%p%d\n", registers[r.IntN(5)], source(), source(), r.IntN(3))
		case n == 8:
			fmt.Fprintf(&out, "%s = vote.ballot.sync %%p%d, -1 members -1\n", registers[r.IntN(5)], r.IntN(3))
		case n == 9 && calls:
			fmt.Fprintf(&out, "%scall f\n", guard())
		case n == 10 && depth < 3: // a branch with one or two arms
			depth++
			a, b := label, label+1
			label += 2
			fmt.Fprintf(&out, "@%%p%d branch b%d\n", r.IntN(3), a)
			block(calls)
			if r.IntN(2) == 0 {
				fmt.Fprintf(&out, "branch b%d\nb%d:\n", b, a)
				block(calls)
				fmt.Fprintf(&out, "b%d:\n", b)
			} else {
				fmt.Fprintf(&out, "b%d:\n", a)
			}
			depth--
		case n == 11 && depth < 2: // a loop, of which some may be left early
			depth++
			a, b := label, label+1
			label += 2
			counter := fmt.Sprintf("%%i%d", a)
			first, step, how, bound := []int{0, 6, 2147483640}[min(2, r.IntN(9)/4)], 1+r.IntN(2), []string{"lt", "le"}[r.IntN(2)], []string{"3", "2", "5", "n", "%warpid"}[r.IntN(5)]
			switch {
			case first > 6:
				bound = []string{"2147483644", "2147483647"}[r.IntN(2)]
			case r.IntN(4) == 0:
				step, how = -step, []string{"gt", "ge"}[r.IntN(2)]
			case r.IntN(4) == 0:
				first, how, bound = 0, "ne", "4"
			}
			fmt.Fprintf(&out, "%s = move.b32 %d\nb%d:\n", counter, first, a)
			block(calls)
			add := fmt.Sprintf("%s = add.b32 %s, %d\n", counter, counter, step)
			test := fmt.Sprintf("%%p0 = setp.%s.%s %s, %s\n", how, []string{"b32", "s32"}[r.IntN(2)], counter, bound)
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&out, "@%%p%d branch b%d\n", r.IntN(3), b)
				block(calls)
			case 1: // the next round, without a test
				if r.IntN(3) == 0 {
					fmt.Fprintf(&out, "%s = and.b32 %s, 7\n", counter, counter)
				}
				fmt.Fprintf(&out, "%s@%%p%d branch b%d\n", add, r.IntN(3), a)
				if r.IntN(2) == 0 {
					add = ""
				}
			case 2:
				fmt.Fprintf(&out, "@%%p%d branch b%d\n", r.IntN(3), a)
			}
			if r.IntN(2) == 0 {
				add, test = test, add
			}
			fmt.Fprintf(&out, "%s%s@%%p0 branch b%d\nb%d:\n", add, test, a, b)
			depth--
		case n == 12 && depth < 3:
			depth++
			a := label
			label += 3
			fmt.Fprintf(&out, "%%x = and.b32 %s, 1\nbranch.indexed %%x to b%d, b%d\nb%d:\n", source(), a, a+1, a)
			block(calls)
			fmt.Fprintf(&out, "branch b%d\nb%d:\n", a+2, a+1)
			block(calls)
			fmt.Fprintf(&out, "b%d:\n", a+2)
			depth--
		default:
			fmt.Fprintf(&out, "%s = move.b32 %s\n", registers[r.IntN(5)], source())
		}
	}
	block = func(calls bool) {
		for range 1 + r.IntN(4) {
			one(calls)
		}
	}
	start := func() {
		for k, name := range registers {
			fmt.Fprintf(&out, "%s = move.b32 %d\n", name, k)
		}
		for _, name := range wide {
			fmt.Fprintf(&out, "%s = move.b64 5\n", name)
		}
		for k := range 3 {
			fmt.Fprintf(&out, "%%p%d = setp.eq.b32 %s, %d\n", k, source(), k)
		}
	}
	out.WriteString("function k\n")
	start()
	if r.IntN(2) == 0 { // what the function alone sets is read, too
		out.WriteString("call f\n")
		registers = append(registers, "%f0")
	}
	for range 4 {
		block(true)
	}
	for _, name := range append(registers, wide...) { // so that all are followed
		fmt.Fprintf(&out, "store.shared.b32 [%s], 0 size 4\n", name)
	}
	registers = registers[:5]
	fmt.Fprintf(&out, "return\nfunction f\n%%f0 = xor.b32 %s, %s\n", source(), source())
	block(false)
	out.WriteString("return\n")
	return out.String()
}
