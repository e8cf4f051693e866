package causality

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/memory"
	"github.com/fencepost-dev/fencepost/protocol"
)

func ptx(t *testing.T) *memory.Model {
	t.Helper()
	m, err := memory.LoadModel("ptx-v7.5")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// build is a protocol of one thread a CTA, spelt in words: "w" and "r" access the one element, "s1.release.gpu" stores 1 to
// the flag, "p1.acquire.gpu" polls for 1, "x1.acquire.gpu" takes it as a lock, by storing 1 where it holds 0, "b" is the barrier of the CTA, "m" that of two lanes, "e" an exchange of theirs, "+" adds to a counter.
func build(gpus int, ctas []int, programs ...string) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "k", CTAs: 4, GPUs: gpus, Buffers: []protocol.Buffer{{Name: "data", CTA: -1, Elements: 1}}, Sites: []protocol.Site{{Text: "first", Line: 1}, {Text: "second", Line: 2}, {Text: "third", Line: 3}}}
	for _, name := range []string{"f", "g"} {
		p.Flags = append(p.Flags, protocol.Flag{Name: name})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{CTA: cta})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{ID: protocol.WarpBarrier, CTA: cta, Threads: 2})
	}
	for i, text := range programs {
		c := protocol.Class{Name: fmt.Sprintf("c%d", i), CTA: ctas[i], Count: 1, Threads: []int{i}, Blocks: [][]protocol.Access{nil}}
		add := func(o protocol.Op) { c.Ops, c.Blocks = append(c.Ops, o), append(c.Blocks, nil) }
		for _, word := range strings.Fields(text) {
			parts := append(strings.Split(word, "."), "", "")
			flag := 0
			if strings.HasSuffix(parts[0], "g") {
				flag, parts[0] = 1, strings.TrimSuffix(parts[0], "g")
			}
			switch parts[0] {
			case "w", "r":
				last := len(c.Blocks) - 1
				c.Blocks[last] = append(c.Blocks[last], protocol.Access{Write: parts[0] == "w", Elements: []protocol.Range{{Hi: 1}}, Site: i})
			case "b":
				add(protocol.Op{Kind: protocol.NamedSync, Object: c.CTA})
			case "m":
				add(protocol.Op{Kind: protocol.NamedSync, Object: p.CTAs + c.CTA})
			case "e":
				add(protocol.Op{Kind: protocol.NamedSync, Object: p.CTAs + c.CTA, Order: "relaxed"})
			case "+":
				add(protocol.Op{Kind: protocol.FlagAdd, Object: flag, Count: 1})
			default:
				o := protocol.Op{Kind: protocol.FlagStore, Object: flag, Count: int(parts[0][1] - '0'), Order: parts[1], Scope: parts[2]}
				switch parts[0][0] {
				case 'p':
					o.Kind, o.Compare = protocol.Spin, "=="
				case 'x':
					o.Kind, o.Compare, o.Count, o.Value = protocol.FlagSwap, "==", 0, o.Count
				}
				add(o)
			}
		}
		p.Classes = append(p.Classes, c)
	}
	return p
}

func TestCheck(t *testing.T) {
	const h, v, i = engine.Holds, engine.Violated, engine.Inconclusive
	for _, c := range []struct {
		name     string
		gpus     int
		ctas     []int
		programs []string
		want     engine.Verdict
	}{
		{"release and acquire", 1, []int{0, 1}, []string{"w s1.release.gpu", "p1.acquire.gpu r"}, h},
		{"scope too small for two CTAs", 1, []int{0, 1}, []string{"w s1.release.cta", "p1.acquire.gpu r"}, v},
		{"that scope in one CTA", 1, []int{1, 1}, []string{"w s1.release.cta", "p1.acquire.cta r"}, h},
		{"scope too small for two GPUs", 2, []int{0, 3}, []string{"w s1.release.gpu", "p1.acquire.gpu r"}, v},
		{"one side's scope too small", 2, []int{0, 3}, []string{"w s1.release.sys", "p1.acquire.gpu r"}, v},
		{"scope of the system", 2, []int{0, 3}, []string{"w s1.release.sys", "p1.acquire.sys r"}, h},
		{"relaxed store", 1, []int{0, 1}, []string{"w s1.relaxed.gpu", "p1.acquire.gpu r"}, v},
		{"weak poll", 1, []int{0, 1}, []string{"w s1.release.gpu", "p1.weak r"}, v},
		{"read, then write", 1, []int{0, 1}, []string{"r s1.release.gpu", "p1.acquire.gpu w"}, h},
		{"barrier", 1, []int{2, 2}, []string{"w b", "b r"}, h},
		{"lanes that join", 1, []int{2, 2}, []string{"w m", "m r"}, h},
		{"lanes that exchange values", 1, []int{2, 2}, []string{"w e", "e r"}, i},
		{"lanes that join too late", 1, []int{2, 2}, []string{"w e m", "e r m"}, i},
		{"through a third thread", 1, []int{0, 0, 1}, []string{"w b", "b s1.release.gpu", "p1.acquire.gpu r"}, h},
		{"the barrier too late", 1, []int{0, 0, 1}, []string{"w b", "s1.release.gpu b", "p1.acquire.gpu r"}, i}, // a race of interleavings, which are asked first
		{"two flags", 2, []int{0, 1, 3}, []string{"w s1.release.gpu", "p1.acquire.gpu s1g.release.sys", "p1g.acquire.sys r"}, h},
		{"nothing to order", 1, []int{0, 1}, []string{"r s1.release.gpu", "p1.acquire.gpu r"}, i},
		{"a counter", 1, []int{0, 1}, []string{"w +", "p1.acquire.gpu r"}, i},
		{"a lock", 1, []int{0, 1}, []string{"x1.acquire.gpu w s0.release.gpu", "x1.acquire.gpu w s0.release.gpu"}, h},
		{"a lock whose section is wider than the access", 1, []int{0, 1}, []string{"x1.acquire.gpu w b s0.release.gpu", "x1.acquire.gpu b w s0.release.gpu"}, h},
		{"a lock that one takes without an acquire", 1, []int{0, 1}, []string{"x1.relaxed.gpu w s0.release.gpu", "x1.acquire.gpu w s0.release.gpu"}, v},
		{"a lock that one gives back without a release", 1, []int{0, 1}, []string{"x1.acquire.gpu w s0.release.gpu", "x1.acquire.gpu r s0.relaxed.gpu"}, v},
		{"a lock of one CTA for two", 1, []int{0, 1}, []string{"x1.acquire.cta w s0.release.cta", "x1.acquire.cta w s0.release.cta"}, v},
		{"that lock in one CTA", 1, []int{1, 1}, []string{"x1.acquire.cta w s0.release.cta", "x1.acquire.cta w s0.release.cta"}, h},
		{"two locks, one of which orders", 1, []int{0, 1}, []string{"x1.relaxed.gpu x1g.acquire.gpu w s0g.release.gpu s0.relaxed.gpu", "x1.relaxed.gpu x1g.acquire.gpu w s0g.release.gpu s0.relaxed.gpu"}, h},
		{"order that is not known", 1, []int{0, 1}, []string{"w s1", "p1.acquire.gpu r"}, i},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := build(c.gpus, c.ctas, c.programs...)
			a := Check(context.Background(), p, ptx(t))
			if a.Verdict != c.want {
				t.Errorf("%s, want %s: %s\n%s", a.Verdict, c.want, a.How, a.Example)
			}
			if (a.Verdict == v) != strings.Contains(a.Example, "data races") {
				t.Errorf("%s with the example\n%s", a.Verdict, a.Example)
			}
			if p.Fenced = true; c.want == v {
				if a := Check(context.Background(), p, ptx(t)); a.Verdict != i {
					t.Errorf("with fences: %s", a.Verdict)
				}
			}
		})
	}
}

// TestRandom compares what is said of random protocols with all executions of the whole.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	stores, polls := []string{"s%d%s.release.sys", "s%d%s.release.gpu", "s%d%s.release.cta", "s%d%s.relaxed.sys"}, []string{"p%d%s.acquire.sys", "p%d%s.acquire.gpu", "p%d%s.acquire.cta", "p%d%s.relaxed.gpu"}
	model := ptx(t)
	held, violated := 0, 0
	for range 30000 {
		ctas := []int{r.IntN(2), r.IntN(4), r.IntN(4)}
		word := func(list []string) string {
			return fmt.Sprintf(list[min(r.IntN(8)/2, r.IntN(4))], 1+r.IntN(2), []string{"", "g"}[r.IntN(2)])
		}
		programs := make([]string, 3)
		for i := range programs {
			var words []string
			for range 1 + r.IntN(3) {
				switch r.IntN(5) {
				case 0:
					words = append(words, "b")
				case 1, 2:
					words = append(words, word(stores))
				default:
					words = append(words, word(polls))
				}
			}
			if i != 1 {
				at := r.IntN(len(words) + 1)
				words = append(words[:at], append([]string{map[int]string{0: "w", 2: "r"}[i]}, words[at:]...)...)
			}
			programs[i] = strings.Join(words, " ")
		}
		p := build(1+r.IntN(2), ctas, programs...)
		s := explore.Exhaust(context.Background(), p, engine.Limits{})
		if s.Wrong() {
			continue
		}
		a := Check(context.Background(), p, model)
		if a.Verdict == engine.Inconclusive {
			continue
		}
		old, new := outcomes(t, p, model)
		if both := old && new; both != (a.Verdict == engine.Violated) {
			t.Errorf("%s (%s); the read of the whole yields the old value: %v, the new one: %v\n%q in CTAs %v of %d GPUs", a.Verdict, a.How, old, new, programs, ctas, p.GPUs)
		}
		if a.Verdict == engine.Holds {
			held++
		} else {
			violated++
		}
	}
	if held < 100 || violated < 100 {
		t.Errorf("%d hold, %d are violated: too few to compare", held, violated)
	}
	t.Logf("%d hold, %d are violated", held, violated)
}

// outcomes says which values the read of the third thread may yield, of what the first writes.
func outcomes(t *testing.T, p *protocol.Protocol, model *memory.Model) (old, new bool) {
	k := &checker{p: p, ctx: context.Background(), model: model, edges: newEdges(p), seen: map[string]bool{}}
	k.locks = newLocks(k.edges)
	c := &cut{checker: k}
	uses := map[int]use{}
	for i := range p.Classes {
		c.part(thread{i, 0})
		for l := range p.Classes[i].Ops {
			c.take(thread{i, 0}, l)
		}
		for l, block := range p.Classes[i].Blocks {
			if len(block) > 0 {
				uses[i] = use{i, l, &block[0]}
			}
		}
	}
	text := c.text(uses[0], uses[2], thread{0, 0}, thread{2, 0})
	for value, seen := range map[int]*bool{0: &old, 1: &new} {
		test, err := memory.Read(strings.NewReader(strings.Replace(text, "exists (0 == 0)", fmt.Sprintf("exists (P2:r1 == %d)", value), 1)))
		if err != nil {
			t.Fatal(err)
		}
		r := memory.Solve(context.Background(), test, model, memory.Options{})
		if r.Verdict == memory.Inconclusive {
			t.Fatal(r.Reason)
		}
		*seen = r.Observable
	}
	return old, new
}

// TestLocksRandom compares what is said of random sections of locks with all executions of the whole.
func TestLocksRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	swaps, stores := []string{"acquire.sys", "acquire.gpu", "acquire.cta", "relaxed.gpu"}, []string{"release.sys", "release.gpu", "release.cta", "relaxed.sys"}
	model := ptx(t)
	held, violated := 0, 0
	for range 1000 {
		ctas := []int{r.IntN(2), r.IntN(2), r.IntN(2)}
		programs := make([]string, 2+r.IntN(4)/3)
		for i := range programs {
			var words []string
			at := r.IntN(2)
			for n := range 1 + (3-len(programs))*r.IntN(2) {
				of := []string{"", "g"}[r.IntN(4)/3]
				section := []string{"x1" + of + "." + swaps[min(r.IntN(4), r.IntN(4))], "s0" + of + "." + stores[min(r.IntN(4), r.IntN(4))]}
				if n == at && i < 2 {
					section = []string{section[0], []string{"w", "r"}[i*r.IntN(2)], section[1]}
				}
				words = append(words, section...)
				if at == 1 && n == 0 && r.IntN(3) == 0 {
					words = append(words, "b")
				}
			}
			programs[i] = strings.Join(words, " ")
		}
		p := build(1+r.IntN(2), ctas, programs...)
		if s := explore.Exhaust(context.Background(), p, engine.Limits{}); s.Wrong() {
			continue
		}
		k := &checker{p: p, ctx: context.Background(), model: model, edges: newEdges(p), seen: map[string]bool{}}
		k.locks = newLocks(k.edges)
		c, uses := &cut{checker: k}, map[int]use{}
		for i := range p.Classes {
			c.part(thread{i, 0})
			for l := range p.Classes[i].Ops {
				c.take(thread{i, 0}, l)
			}
			for l, block := range p.Classes[i].Blocks {
				if len(block) > 0 {
					uses[i] = use{i, l, &block[0]}
				}
			}
		}
		a := Check(context.Background(), p, model)
		if ops := len(slices.Concat(c.ops...)); len(uses) < 2 || ops > 6 || a.Verdict == engine.Inconclusive { // more take a search of minutes
			continue
		}
		whole, err := k.solve(c.text(uses[0], uses[1], thread{0, 0}, thread{1, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if whole.Verdict == memory.Inconclusive { // too large
			continue
		}
		if (whole.Verdict == memory.Fail) != (a.Verdict == engine.Violated) {
			t.Fatalf("%s (%s), and of the whole %v\n%q in CTAs %v of %d GPUs", a.Verdict, a.How, whole.Verdict, programs, ctas, p.GPUs)
		}
		if a.Verdict == engine.Holds {
			held++
		} else {
			violated++
		}
	}
	if t.Logf("%d hold, %d are violated", held, violated); held < 60 || violated < 60 {
		t.Error("too few to compare")
	}
}
