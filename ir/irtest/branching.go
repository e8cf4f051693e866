// Package irtest makes kernels of the IR at random, for tests.
package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Branching is a kernel that computes with what is the same for the CTA, for warps, and for none, in branches, loops and functions. It
// ends with stores to what it has computed; between says what all threads do in between, if it is not nil.
func Branching(r *rand.Rand, between func() string) string {
	var out strings.Builder
	out.WriteString("parameter n\npredicates %p0, %p1, %p2\nspecial %tid.x, %ctaid.x, %ntid.x, %warpid, %laneid\npart n = n+0\n")
	registers := []string{"%r0", "%r1", "%r2", "%r3", "%r4"}
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
		switch n := r.IntN(13); {
		case n < 5:
			fmt.Fprintf(&out, "%s%s = %s.b32 %s, %s\n", guard(), registers[r.IntN(5)], []string{"add", "and", "xor", "shr", "mul"}[r.IntN(5)], source(), []string{source(), "1", "3"}[r.IntN(3)])
		case n < 7:
			fmt.Fprintf(&out, "%%p%d = setp.%s.b32 %s, %d\n", r.IntN(3), []string{"eq", "lt", "ne"}[r.IntN(3)], source(), r.IntN(4))
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
			fmt.Fprintf(&out, "%s = move.b32 0\nb%d:\n", counter, a)
			block(calls)
			if r.IntN(2) == 0 {
				fmt.Fprintf(&out, "@%%p%d branch b%d\n", r.IntN(3), b)
				block(calls)
			}
			add := fmt.Sprintf("%s = add.b32 %s, %d\n", counter, counter, 1+r.IntN(2))
			test := fmt.Sprintf("%%p0 = setp.lt.b32 %s, %s\n", counter, []string{"3", "n", "%warpid"}[r.IntN(3)])
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
		for k := range 3 {
			fmt.Fprintf(&out, "%%p%d = setp.eq.b32 %s, %d\n", k, source(), k)
		}
	}
	out.WriteString("function k\n")
	start()
	for range 4 {
		block(true)
		if between != nil {
			out.WriteString(between())
		}
	}
	for _, name := range registers { // so that all are followed
		fmt.Fprintf(&out, "store.shared.b32 [%s], 0 size 4\n", name)
	}
	out.WriteString("return\nfunction f\n")
	block(false)
	out.WriteString("return\n")
	return out.String()
}
