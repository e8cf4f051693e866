package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/ir/irtest"
)

// TestPassesAreSound executes random kernels: what passes say is the same for all threads of a warp, or of a CTA, is, and loops count and
// end as they say.
func TestPassesAreSound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	told, counted := map[ir.Level]int{}, 0
	for range 1500 {
		text := irtest.Accessing(r)
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
