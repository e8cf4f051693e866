package progress

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, name string) []Test {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tests, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

func decide(p *Program) (*Result, error) {
	s, err := p.System()
	if err != nil {
		return nil, err
	}
	return Decide(s)
}

// TestPublished decides the synthesized tests of the literature, where they are: expected verdicts are those of the CADP
// toolbox (notes/litmus.md 7).
func TestPublished(t *testing.T) {
	shared := os.Getenv("FENCEPOST_SHARED")
	if shared == "" {
		t.Skip("FENCEPOST_SHARED does not say where the published tests are")
	}
	tests := open(t, filepath.Join(shared, "progress", "tests.jsonl"))
	verdicts := 0
	for _, test := range tests {
		verdicts += check(t, test)
	}
	if len(tests) < 300 || verdicts < 12*len(tests) {
		t.Errorf("%d verdicts of %d tests", verdicts, len(tests))
	}
}

// TestIdioms decides the idioms of docs/progress.md, and compares its table.
func TestIdioms(t *testing.T) {
	tests := open(t, "../../testdata/progress/idioms.jsonl")
	page, err := os.ReadFile("../../docs/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if check(t, test) == 0 {
			t.Errorf("%s expects nothing", test.ID)
		}
		r, err := decide(&test.Program)
		if err != nil {
			t.Fatal(err)
		}
		row := "| " + test.ID + " |"
		for _, m := range []Model{HSA, OBE, HSAOBE, LOBE, Fair, CUDA} {
			word := "hangs"
			if r.Answers[Guarantee{Model: m}].Ends {
				word = "ends"
			}
			row += " " + word + " |"
			if r.Answers[Guarantee{m, true}].Ends != r.Answers[Guarantee{m, false}].Ends {
				t.Errorf("%s: %s is another in the strong form", test.ID, m)
			}
		}
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("docs/progress.md has no row %q", row)
		}
	}
}

// check compares the verdicts of a test, and runs every lasso.
func check(t *testing.T, test Test) (verdicts int) {
	t.Helper()
	r, err := decide(&test.Program)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range test.Expected {
		g, _ := named(name)
		if got := r.Answers[g].Ends; got != want {
			t.Errorf("%s: %s: ends %v, want %v", test.ID, name, got, want)
		}
		verdicts++
	}
	for g, a := range r.Answers {
		if err := replay(&test.Program, g, a); err != nil {
			t.Errorf("%s: %s: %v", test.ID, g, err)
		}
	}
	return verdicts
}

// replay runs a lasso, in code of its own: it must come back to where its cycle begins, every guaranteed thread must make
// a step on it under a weak form, and only guaranteed ones may under a strong form that somebody is guaranteed something by.
func replay(p *Program, g Guarantee, a Answer) error {
	if a.Ends {
		return nil
	}
	if len(a.Lasso.Cycle) == 0 {
		return fmt.Errorf("a lasso without a cycle")
	}
	at, cells := make([]int, len(p.Threads)), map[int]int{}
	stepped := map[int]bool{}
	run := func(steps []Step) error {
		for _, s := range steps {
			list := p.Threads[s.Thread]
			here := at[s.Thread]
			if here == len(list) {
				return fmt.Errorf("thread %d has ended and makes a step", s.Thread)
			}
			in := list[here]
			if found := fmt.Sprintf("at %d: cell %d is %d", here, in.Loc, cells[in.Loc]); !strings.HasPrefix(s.Text, found) {
				return fmt.Errorf("thread %d: %q where it should be %q", s.Thread, s.Text, found)
			}
			at[s.Thread]++
			if cells[in.Loc] == in.Check {
				at[s.Thread] = in.Jump
			}
			if in.Exch {
				cells[in.Loc] = in.Value
			}
			if cells[in.Loc] == 0 {
				delete(cells, in.Loc) // as it was at the start
			}
			stepped[s.Thread] = true
		}
		return nil
	}
	if err := run(a.Lasso.Stem); err != nil {
		return err
	}
	before := fmt.Sprint(at, cells)
	if err := run(a.Lasso.Cycle); err != nil {
		return err
	}
	if fmt.Sprint(at, cells) != before {
		return fmt.Errorf("the cycle does not close")
	}
	for t, list := range p.Threads {
		on := false
		for _, s := range a.Lasso.Cycle {
			on = on || s.Thread == t
		}
		if g.Strong || on || at[t] == len(list) {
			continue
		}
		lowest := true
		for u := range t {
			lowest = lowest && at[u] == len(p.Threads[u])
		}
		above := false
		for u := t; u < len(p.Threads); u++ {
			above = above || stepped[u]
		}
		guaranteed := map[Model]bool{HSA: lowest, OBE: stepped[t], HSAOBE: lowest || stepped[t], LOBE: above, Fair: true}[g.Model]
		if guaranteed {
			return fmt.Errorf("thread %d is guaranteed to execute and does not", t)
		}
	}
	return nil
}

// random draws a program of two or three threads.
func random(r *rand.Rand) *Program {
	p := &Program{ID: "random"}
	for range 2 + r.Intn(2) {
		var list []Instruction
		n := 1 + r.Intn(3)
		for pc := range n {
			i := Instruction{Loc: r.Intn(2), Check: r.Intn(2), Jump: r.Intn(n + 1), Exch: r.Intn(2) == 0}
			if r.Intn(3) == 0 {
				i.Jump = pc
			}
			if i.Exch {
				i.Value = r.Intn(2)
			}
			list = append(list, i)
		}
		p.Threads = append(p.Threads, list)
		p.Groups = append(p.Groups, r.Intn(2))
	}
	return p
}

// TestOrder checks on random programs that what ends under a guarantee ends under every higher one.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	programs := 20000
	if os.Getenv("FENCEPOST_SHARED") != "" {
		programs = 100000
	}
	ends := map[Guarantee]int{}
	for range programs {
		p := random(r)
		got, err := decide(p)
		if err != nil {
			t.Fatal(err)
		}
		for g, a := range got.Answers {
			if !a.Ends {
				continue
			}
			ends[g]++
			for h, b := range got.Answers {
				if g.Below(h) && !b.Ends {
					t.Fatalf("%+v ends under %s and not under %s", p, g, h)
				}
			}
		}
	}
	for _, g := range Guarantees() {
		if ends[g] == 0 || ends[g] == programs {
			t.Errorf("%s: %d of %d programs end", g, ends[g], programs)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","threads":[[{"loc":0,"check":0,"jump":7}]]}`:                          "jump to 7 of 1",
		`{"id":"a","threads":[]}`:                                                        "0 threads",
		`{"id":"a","threads":[[{"loc":-1}]]}`:                                            "location -1",
		"{}\nx":                                                                          "line 1",
		`{"id":"a","threads":[[]],"expected":{"weak_odd":true}}`:                         `no model "weak_odd"`,
		`{"id":"a","threads":[[]],"groups":[1,2]}`:                                       "groups of 2 of 1",
		`{"id":"a","threads":[[{"loc":0,"check":99999999999,"jump":0}]]}`:                "out of range",
		`{"id":"` + strings.Repeat("a", maxLine) + `"}`:                                  "after 0 tests",
		`{"id":"a","threads":[[{"loc":0,"check":0,"jump":1,"exch":true,"value":1e9}]]}x`: "line 1",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// A program with more states than are kept is refused, not decided.
func TestTooManyStates(t *testing.T) {
	p := &Program{ID: "many"}
	for c := range 24 { // each thread sets a cell of its own, whenever
		p.Threads = append(p.Threads, []Instruction{{Loc: c, Jump: 1, Exch: true, Value: 1}})
	}
	if r, err := decide(p); err == nil {
		t.Errorf("decided by %d states", r.States)
	}
}

// Replay refuses what is no execution, does not come back, or leaves out who must execute.
func TestReplayRefuses(t *testing.T) {
	p := &Program{ID: "flag", Threads: [][]Instruction{
		{{Loc: 0, Check: 0, Jump: 1, Exch: true, Value: 1}},
		{{Loc: 0, Check: 0, Jump: 0}},
	}}
	s, err := p.System()
	if err != nil {
		t.Fatal(err)
	}
	spin, set := Step{Thread: 1, Text: "at 0: cell 0 is 0; again"}, Step{Thread: 0, Text: "at 0: cell 0 is 0, set to 1; ends"}
	for _, c := range []struct {
		g    Guarantee
		l    Lasso
		want string
	}{
		{Guarantee{Model: OBE}, Lasso{Cycle: []Step{spin}}, ""},
		{Guarantee{Model: HSA}, Lasso{Cycle: []Step{spin}}, "thread 0 must execute under weak_hsa"},
		{Guarantee{Model: Fair}, Lasso{Cycle: []Step{spin}}, "thread 0 must execute under weak_fair"},
		{Guarantee{Model: LOBE}, Lasso{Cycle: []Step{spin}}, "thread 0 must execute under weak_lobe"},
		{Guarantee{Model: OBE}, Lasso{}, "does not close"},
		{Guarantee{Model: OBE}, Lasso{Cycle: []Step{set}}, "does not close"},
		{Guarantee{Model: OBE}, Lasso{Stem: []Step{set}, Cycle: []Step{spin}}, "should be"},
		{Guarantee{Model: OBE}, Lasso{Stem: []Step{set, set}, Cycle: []Step{spin}}, "it has ended"},
		{Guarantee{Model: OBE}, Lasso{Cycle: []Step{{Thread: 2}}}, "no such thread"},
	} {
		err := Replay(s, c.g, &c.l)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.g, err, c.want)
		}
	}
}
