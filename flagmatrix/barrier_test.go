package flagmatrix

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// TestFaults: what each fault breaks, at several sizes.
func TestFaults(t *testing.T) {
	const h, v = engine.Holds, engine.Violated
	want := map[Fault][3]engine.Verdict{
		None: {h, h, h}, GPUScope: {h, h, v}, Relaxed: {h, h, v}, OneSlot: {v, v, h}, NoSync: {h, h, v}, WrongRow: {h, h, v}, OneLaunch: {v, v, v},
	}
	for _, size := range [][4]int{{2, 2, 2, 3}, {3, 2, 5, 3}, {8, 2, 8, 4}} {
		for _, f := range append([]Fault{None}, Faults...) {
			b := &Barrier{GPUs: size[0], Blocks: size[1], Threads: size[2], Calls: size[3], Fault: f}
			if err := b.Validate(); err != nil {
				t.Fatal(err)
			}
			for i, a := range b.Prove(context.Background(), ptx(t), engine.Limits{}) {
				if a.Verdict != want[f][i] {
					t.Errorf("%s: %s: %s (%s), want %s", b, a.Question, a.Verdict, a.How, want[f][i])
				}
				if lines := strings.Count(a.Example, "\n"); (a.Verdict == v) != (lines > 3) || lines > 60 {
					t.Errorf("%s: %s: an example of %d lines\n%s", b, a.Question, lines, a.Example)
				}
			}
		}
	}
}

// One launch is enough for one block: its leader waits for itself.
func TestOneLaunchOneBlock(t *testing.T) {
	b := &Barrier{GPUs: 3, Blocks: 1, Threads: 3, Calls: 5, Fault: OneLaunch}
	for i, a := range b.Prove(context.Background(), ptx(t), engine.Limits{})[:2] {
		if a.Verdict != engine.Holds {
			t.Errorf("question %d: %s, %s", i, a.Verdict, a.How)
		}
	}
}

// TestSearched compares the proof with a search of all states.
func TestSearched(t *testing.T) {
	for _, size := range [][4]int{{2, 1, 2, 4}, {2, 1, 3, 3}} {
		for _, f := range append([]Fault{None}, Faults...) {
			b := &Barrier{GPUs: size[0], Blocks: size[1], Threads: size[2], Calls: size[3], Fault: f}
			p := b.Protocol()
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			got, want := explore.Check(context.Background(), p, engine.Limits{}), explore.Exhaust(context.Background(), p, engine.Limits{})
			for _, prop := range protocol.Properties {
				if got.Properties[prop].Verdict != want.Properties[prop].Verdict {
					t.Errorf("%s: %s: %s, searched %s", b, prop, got.Properties[prop].Verdict, want.Properties[prop].Verdict)
				}
			}
		}
	}
}

// TestEnds: under the memory model, too, everyone leaves the whole barrier.
func TestEnds(t *testing.T) {
	test, err := memory.Read(strings.NewReader((&Barrier{GPUs: 2, Blocks: 1, Threads: 2, Calls: 2}).Litmus()))
	if err != nil {
		t.Fatal(err)
	}
	if r := memory.Solve(context.Background(), test, ptx(t), memory.Options{Property: memory.Termination}); r.Verdict != memory.Pass {
		t.Errorf("%s %s", r.Verdict, r.Reason)
	}
}

// spoilt is a barrier with operations left out here and there, and with any qualifiers.
func spoilt(r *rand.Rand, b *Barrier) {
	stores, polls := []string{"relaxed.sys", "release.gpu", "release.sys"}, []string{"relaxed.sys", "acquire.gpu", "acquire.sys"}
	b.words = [2]string{stores[min(r.IntN(16), 2)], polls[min(r.IntN(16), 2)]}
	left := map[string]bool{}
	for g := range b.GPUs {
		for block := range b.Blocks {
			for id := range b.Threads {
				for k := 1; k <= b.Calls; k++ {
					for _, what := range []kind{sync, boundary} {
						left[fmt.Sprint(thread{g, block, id}, k, what)] = r.IntN(16) == 0
					}
				}
			}
		}
	}
	b.change = func(t thread, k int, ops []op) (out []op) {
		for _, o := range ops {
			if !left[fmt.Sprint(t, k, o.kind)] {
				out = append(out, o)
			}
		}
		return out
	}
}

// TestCuts: where all cuts hold, the whole does (the lemma of cut.go), in spoilt barriers small enough for a search of the
// whole.
func TestCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	model := ptx(t)
	held, missed := 0, 0
	for i := range 120 {
		b := &Barrier{GPUs: 2, Blocks: 1 + i%2, Threads: 2, Calls: 1 + r.IntN(2)*(1-i%2)}
		if i >= 14 {
			spoilt(r, b)
		} else {
			b.Fault = append([]Fault{None}, Faults...)[i/2]
		}
		_, whole, err := solve(context.Background(), model, b.Litmus())
		if err != nil {
			t.Fatal(err)
		}
		if whole.Verdict == memory.Inconclusive {
			t.Fatalf("%s: %s", b, whole.Reason)
		}
		cuts := b.uncovered(model, t)
		switch {
		case cuts == 0 && whole.Verdict != memory.Pass:
			t.Errorf("%s %v: every cut holds, the whole does not\n%s\n%s", b, b.words, b.Litmus(), whole.Witness.Text())
		case cuts == 0:
			held++
		default:
			missed++
		}
	}
	if held < 10 || missed < 10 {
		t.Errorf("%d held, %d missed: too few to compare", held, missed)
	}
}

// uncovered counts the cuts of the data that Litmus has in which the write may be missed.
func (b *Barrier) uncovered(model *memory.Model, t *testing.T) (n int) {
	var c cut
	for g := range b.GPUs {
		for block := range b.Blocks {
			for id := range b.Threads {
				for from := range b.GPUs {
					for k := 1; k <= b.Calls; k++ {
						if from == g {
							continue
						}
						b.between(thread{from, b.Blocks - 1, b.Threads - 1}, thread{g, block, id}, k, &c)
						text, _ := b.litmus(&c)
						_, r, err := solve(context.Background(), model, text)
						if err != nil {
							t.Fatal(err)
						}
						if r.Verdict != memory.Pass {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// TestKey: cuts with one key are the same test but for names.
func TestKey(t *testing.T) {
	b := &Barrier{GPUs: 3, Blocks: 2, Threads: 4, Calls: 2}
	texts := map[string]string{}
	var c cut
	for _, w := range []thread{{0, 0, 0}, {0, 0, 1}, {0, 1, 3}, {2, 0, 1}, {2, 1, 1}, {1, 0, 2}} {
		for _, r := range []thread{{1, 0, 0}, {1, 0, 2}, {1, 1, 0}, {2, 0, 0}, {2, 1, 3}, {0, 0, 2}} {
			if w.gpu == r.gpu {
				continue
			}
			for k := 1; k <= 2; k++ {
				b.between(w, r, k, &c)
				text, _ := b.litmus(&c)
				text = renamed(text)
				key := string(b.key(&c, nil))
				if old, ok := texts[key]; ok && old != text {
					t.Errorf("two tests with one key:\n%s\n%s", old, text)
				}
				texts[key] = text
			}
		}
	}
	if len(texts) < 4 {
		t.Errorf("%d keys", len(texts))
	}
}

// renamed names flags, GPUs and blocks of a test in the order in which they come.
func renamed(text string) string {
	_, text, _ = strings.Cut(text, "{")
	names := map[string]string{}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n|;,=", r) })
	for i, word := range words {
		switch {
		case len(word) > 3 && word[0] == 's' && strings.Contains(word, "f"), i > 0 && words[i-1] == "gpu", i > 0 && words[i-1] == "bar.cta.sync":
			if i > 0 && (words[i-1] == "gpu" || words[i-1] == "bar.cta.sync") {
				word = words[i-1] + word
			}
			if names[word] == "" {
				names[word] = fmt.Sprintf("n%d", len(names))
			}
			words[i] = names[word]
		}
	}
	return strings.Join(words, " ")
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		b    Barrier
		want string
	}{
		{Barrier{GPUs: 1, Blocks: 1, Threads: 1, Calls: 1}, "want 2 to"},
		{Barrier{GPUs: 4, Blocks: 1, Threads: 2, Calls: 1}, "a block needs at least 4"},
		{Barrier{GPUs: 2, Blocks: 0, Threads: 2, Calls: 1}, "at least one of each"},
		{Barrier{GPUs: 2, Blocks: 1 << 40, Threads: 1024, Calls: 1}, "in all"},
		{Barrier{GPUs: 2, Blocks: 1, Threads: 2, Calls: 1, Fault: "slow"}, "no fault"},
	} {
		if err := c.b.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", &c.b, err, c.want)
		}
	}
}
