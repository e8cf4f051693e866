package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Accessing is as Branching, and has values of 64 bits, comparisons of all kinds, accesses under them, and loops that count up, down, and past
// the ends of their types: for judges of what is said of values.
func Accessing(r *rand.Rand) string {
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
		for _, name := range append(wide, "%d2") {
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
