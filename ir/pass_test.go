package ir

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func parsed(t *testing.T, text string) *Kernel {
	t.Helper()
	k, err := Parse("k.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// counting has two loops, one in the other, and a branch by the number of the thread.
const counting = `kernel counting
predicates %p1, %p2, %p3
special %tid.x, %ctaid.x
part n = n+0
b0:
	%r1 = move.b32 0
	%p3 = setp.eq.b32 %tid.x, 0
b1:
	%r2 = move.b32 16
b2:
	%r2 = sub.b32 %r2, 2
	%p1 = setp.gt.s32 %r2, 0
	@%p1 branch b2
b3:
	@%p3 branch b5
b4:
	%r3 = add.b32 %r1, 7
b5:
	%r1 = add.b32 %r1, 1
	%p2 = setp.le.s32 n, %r1
	@!%p2 branch b1
b6:
	return
`

// TestFlow has blocks, dominators and postdominators.
func TestFlow(t *testing.T) {
	k := parsed(t, counting)
	const want = `b0: next b1; dominator none; postdominator b1
b1: next b2; dominator b0; postdominator b2
b2: next b2 b3; dominator b1; postdominator b3
b3: next b5 b4; dominator b2; postdominator b5
b4: next b5; dominator b3; postdominator b5
b5: next b1 b6; dominator b3; postdominator b6
b6: next none; dominator b5; postdominator none
`
	if got := controlFlow.Print(k); got != want {
		t.Errorf("got\n%s", got)
	}
	fl := k.Flow()
	if !fl.Dominates(0, 6) || !fl.Dominates(3, 3) || fl.Dominates(4, 5) || fl.Dominates(6, 0) {
		t.Error("dominators are not those of the picture")
	}
}

func TestLoops(t *testing.T) {
	const want = `loop b1: blocks b1 b2 b3 b4 b5; back from b5; counts %r1 by 1 while lt.s32 n
loop b2: blocks b2; back from b2; in loop b1; counts %r2 by -2 while gt.s32 0
`
	if got := loops.Print(parsed(t, counting)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestNoCounter has loops of which it is not plain what they count.
func TestNoCounter(t *testing.T) {
	for name, text := range map[string]string{
		"two additions":   "b1:\n%r1 = add.b32 %r1, 1\n%r1 = add.b32 %r1, 2\n%p1 = setp.lt.s32 %r1, 9\n@%p1 branch b1\nreturn",
		"a guard":         "b1:\n@%p2 %r1 = add.b32 %r1, 1\n%p1 = setp.lt.s32 %r1, 9\n@%p1 branch b1\nreturn",
		"a way around":    "b1:\n@%p2 branch b3\nb2:\n%r1 = add.b32 %r1, 1\nb3:\n%p1 = setp.lt.s32 %r1, 9\n@%p1 branch b1\nreturn",
		"an inner loop":   "b1:\n%r1 = add.b32 %r1, 1\n@%p2 branch b1\n%p1 = setp.lt.s32 %r1, 9\n%r1 = add.b32 %r1, 1\n@%p1 branch b1\nreturn",
		"a factor":        "b1:\n%r1 = mul.b32 %r1, 2\n%p1 = setp.lt.s32 %r1, 9\n@%p1 branch b1\nreturn",
		"a call":          "b1:\n%r1 = add.b32 %r1, 1\ncall f\n%p1 = setp.lt.s32 %r1, 9\n@%p1 branch b1\nreturn\nfunction f\n%r1 = move.b32 0\nreturn",
		"a joined result": "b1:\n%r1 = add.b32 %r1, %r2\n%p1 = setp.lt.and.s32 %r1, 9, %p2\n@%p1 branch b1\nreturn",
	} {
		k := parsed(t, "predicates %p1, %p2\nfunction k\n"+text)
		if l := k.Loops(); len(l) == 0 || l[0].Counter >= 0 {
			t.Errorf("%s:\n%s", name, loops.Print(k))
		}
	}
	// A bound that changes in the loop is none; the counter still counts.
	k := parsed(t, "predicates %p1\nfunction k\nb1:\n%r1 = add.b32 %r1, 1\n%r2 = shr.b32 %r2, 1\n%p1 = setp.lt.s32 %r1, %r2\n@%p1 branch b1\nreturn")
	if l := k.Loops()[0]; l.Counter < 0 || l.Exit >= 0 {
		t.Errorf("%s", loops.Print(k))
	}
}

func TestUniformity(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"parameters, CTAs and constants", "part n = n+0\nspecial %ctaid.x\n%x = mad.b32 n, %ctaid.x, 4\nreturn", "%x: cta"},
		{"the thread's number", "special %tid.x\n%x = add.b32 %tid.x, 4\nreturn", "%x: varying"},
		{"the warp's number", "special %warpid\n%x = add.b32 %warpid, 4\nreturn", "%x: warp"},
		{"a load of shared memory", "%x = load.shared.b32 [0] size 4\nreturn", "%x: varying"},
		{"a load of constants", "%x = load.const.b32 [0] size 4\nreturn", "%x: cta"},
		{"a load of constants by thread", "special %laneid\n%x = load.const.b32 [%laneid] size 4\nreturn", "%x: varying"},
		{"what nothing sets", "%x = add.b32 %y, 1\nreturn", "%x: varying"},
		{"what is not modelled", "%x = havoc\nreturn", "%x: varying"},
		{"an atomic", "%x = atomic.add.shared.relaxed.cta.b32 [0], 1 size 4\nreturn", "%x: varying"},
		{"a vote of all lanes", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = vote.ballot.sync %p1, -1 members -1\nreturn", "%x: warp"},
		{"a vote of some lanes", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = vote.ballot.sync %p1, 15 members 15\nreturn", "%x: varying"},
		{"the barrier's reduction", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = barrier.cta.popc.aligned 0, 0, %p1\nreturn", "%x: cta"},
		{"a guard", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = move.b32 1\n@%p1 %x = move.b32 2\nreturn", "%x: varying"},
		{"a guard that all have", "part n = n+0\n%p1 = setp.eq.b32 n, 3\n%x = move.b32 1\n@%p1 %x = move.b32 2\nreturn", "%x: cta"},
		{"one arm", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = move.b32 1\n@%p1 branch b1\n%x = move.b32 2\nb1:\n%y = move.b32 %x\nreturn", "%y: varying"},
		{"behind the arms", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n@%p1 branch b1\n%y = move.b32 2\nb1:\n%x = move.b32 1\nreturn", "%x: cta"},
		{"one arm by warps", "special %warpid\n%p1 = setp.eq.b32 %warpid, 3\n%x = move.b32 1\n@%p1 branch b1\n%x = move.b32 2\nb1:\n%y = move.b32 %x\nreturn", "%y: warp"},
		{"behind a return of some", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n@%p1 branch b1\n%x = move.b32 1\nb1:\nreturn", "%x: cta"},
		{"a loop that some return from", "special %tid.x\n%x = move.b32 0\nb1:\n%x = add.b32 %x, 1\n%p1 = setp.lt.b32 %x, %tid.x\n@%p1 branch b1\nb2:\nreturn", "%x: cta"},
		{"a loop that some leave for work and an end", "special %tid.x\n%x = move.b32 0\nb1:\n%x = add.b32 %x, 1\n%p1 = setp.lt.b32 %x, %tid.x\n@%p1 branch b1\nb2:\nstore.shared.b32 [%x], 1 size 4\n%y = add.b32 %x, 1\nreturn", "%x: varying\n%y: varying"},
		{"a loop that threads leave by and by", "special %tid.x\n%x = move.b32 0\nb1:\n%x = add.b32 %x, 1\n%p1 = setp.lt.b32 %x, %tid.x\n@%p1 branch b1\nb2:\n%y = move.b32 %x\nreturn", "%y: varying"},
		{"a loop that all leave", "part n = n+0\n%x = move.b32 0\nb1:\n%x = add.b32 %x, 1\n%p1 = setp.lt.b32 %x, n\n@%p1 branch b1\nb2:\n%y = move.b32 %x\nreturn", "%y: cta"},
		{"a call by some", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n%x = move.b32 1\n@%p1 call f\nreturn\nfunction f\n%x = move.b32 2\nreturn", "%x: varying"},
		{"a call by all", "%x = move.b32 1\ncall f\nreturn\nfunction f\n%x = move.b32 2\nreturn", "%x: cta"},
		{"behind an end of some", "special %tid.x\n%p1 = setp.eq.b32 %tid.x, 3\n@%p1 exit\n%x = move.b32 1\nreturn", "%x: varying"},
		{"an indexed branch", "special %tid.x\nbranch.indexed %tid.x to b1, b2\nb1:\n%x = move.b32 1\nbranch b3\nb2:\n%x = move.b32 2\nb3:\nreturn", "%x: varying"},
		{"the elected lane", "%x|%p1 = elect.sync -1 members -1\n%y = select.b32 1, 2, %p1\nreturn", "%x: warp\n%y: varying"},
	} {
		k := parsed(t, "predicates %p1\n"+c.text)
		got := "\n" + uniformity.Print(k)
		for _, line := range strings.Split(c.want, "\n") {
			if !strings.Contains(got, "\n"+line+"\n") {
				t.Errorf("%s: expected %s, got%s", c.name, line, got)
			}
		}
	}
}

// TestPassesDeclareWhatTheyNeed computes each pass alone: what is known afterwards is what it says that it needs.
func TestPassesDeclareWhatTheyNeed(t *testing.T) {
	seen := map[string]bool{}
	for n, p := range Passes() {
		if seen[p.Name()] || p.Doc() == "" {
			t.Errorf("%s: two passes of that name, or no documentation", p.Name())
		}
		seen[p.Name()] = true
		k := parsed(t, counting)
		p.Print(k)
		needs := map[Pass]bool{p: true}
		for todo := []Pass{p}; len(todo) > 0; todo = todo[1:] {
			for _, q := range todo[0].Needs() {
				if !slices.Contains(Passes()[:n], q) {
					t.Errorf("%s needs %s, which is behind it", p.Name(), q.Name())
				}
				needs[q] = true
				todo = append(todo, q)
			}
		}
		for _, q := range Passes() {
			if q.known(k) != needs[q] {
				t.Errorf("%s computes %s: %t; it says %t", p.Name(), q.Name(), q.known(k), needs[q])
			}
		}
	}
	if len(seen) != results {
		t.Errorf("%d passes, %d results", len(seen), results)
	}
}

// TestPassesAreComputedOnce asks for a result from many sides.
func TestPassesAreComputedOnce(t *testing.T) {
	k := parsed(t, counting)
	var all sync.WaitGroup
	got := make([]*Uniformity, 16)
	for n := range got {
		all.Add(1)
		go func() {
			defer all.Done()
			got[n] = k.Uniformity()
			k.RegionOf(8)
		}()
	}
	all.Wait()
	for _, u := range got {
		if u != got[0] {
			t.Error("a result was computed twice")
		}
	}
	k.Remove(func(in *Inst) bool { return in.Op == Move })
	if k.Uniformity() == got[0] {
		t.Error("the result of other instructions is kept")
	}
}

// TestPassesTakeAnything computes all passes of kernels with any instructions.
func TestPassesTakeAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	for range 3000 {
		k := randomKernel(r)
		for _, p := range Passes() {
			p.Print(k)
		}
	}
}
