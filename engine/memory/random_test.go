package memory

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestSearchAgainstAll compares the final states of random tests with those found by looking at everything: every round of
// a wait, every choice of writes to read from, every partial order of the writes to a cell, the axioms only at the end. And
// whether any execution has a data race.
func TestSearchAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	states, waits, races := 0, 0, 0
	for round := range 600 {
		name := Models[round%len(Models)]
		text := randomTest(rng, name)
		p, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		m := model(t, name)
		want, raced, ok := everything(p, m)
		if !ok {
			continue
		}
		r := Solve(context.Background(), p, m, Options{States: true})
		got := map[string]bool{}
		for _, s := range r.States {
			got[fmt.Sprint(s.Values)] = true
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%s: states %v, want %v, of\n%s", name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), text)
		}
		if race := Solve(context.Background(), p, m, Options{Property: Race}); (race.Verdict == Fail) != raced {
			t.Fatalf("%s: race is %s (%s), some execution has one: %v, of\n%s", name, race.Verdict, race.Reason, raced, text)
		}
		if !raced && len(got) > 0 {
			races++
		}
		states += len(got)
		if strings.Contains(text, "LC") && len(got) > 0 {
			waits++
		}
	}
	t.Logf("%d states, %d tests with waits, %d without races", states, waits, races)
	if states < 600 || waits < 40 || races < 20 {
		t.Errorf("%d states, %d tests with waits, %d without races: too few to tell", states, waits, races)
	}
}

// randomTest writes a test of two or three threads.
func randomTest(rng *rand.Rand, model string) string {
	proxies := model != "ptx-v6.0"
	var b strings.Builder
	b.WriteString("PTX random\n{\nx=0; y=0;\n")
	names := []string{"x", "y"}
	if proxies && rng.Intn(2) == 0 {
		b.WriteString("s @ surface aliases x; z @ generic aliases x;\n")
		names = []string{"x", "y", "s", "z"}
	}
	if model == "ptx-async" {
		b.WriteString("b @ mbarrier 1;\n")
	}
	b.WriteString("}\n")
	threads := 2 + rng.Intn(2)
	var columns [][]string
	shown := []string{"x", "y"}
	for i := range threads {
		c := []string{fmt.Sprintf("P%d@cta %d,gpu 0", i, rng.Intn(2))}
		for k := range 5 - threads {
			reg := fmt.Sprintf("r%d", k)
			if model == "ptx-async" && rng.Intn(3) > 0 {
				c = append(c, randomAddition(rng, reg)...)
			} else {
				c = append(c, randomInstruction(rng, names, reg, proxies)...)
			}
			shown = append(shown, fmt.Sprintf("P%d:%s", i, reg))
		}
		columns = append(columns, c)
	}
	for row := 0; ; row++ {
		var cells []string
		some := false
		for _, c := range columns {
			if row < len(c) {
				cells = append(cells, c[row])
				some = true
			} else {
				cells = append(cells, "")
			}
		}
		if !some {
			break
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
	b.WriteString("locations [" + strings.Join(shown, "; ") + "]\nexists (0 == 0)\n")
	return b.String()
}

// randomAddition is an instruction that only ptx-async knows.
func randomAddition(rng *rand.Rand, reg string) []string {
	list := []string{
		"tcgen05.mma y, x", "tcgen05.mma x, y", "tcgen05.commit b", "fence.proxy.async", "barrier.cluster.arrive", "barrier.sync 1, 1",
		"mbarrier.arrive b", "mbarrier.arrive.relaxed.cluster b", "mbarrier.try_wait.parity b, 0", "mbarrier.test_wait.parity " + reg + ", b, 0",
		"st.weak x, 1", "st.weak y, 2", "ld.weak " + reg + ", y", "wgmma.mma_async y, x",
	}
	return []string{list[rng.Intn(len(list))]}
}

func randomInstruction(rng *rand.Rand, names []string, reg string, proxies bool) []string {
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	scope := func() string { return pick("cta", "gpu") }
	name := names[rng.Intn(len(names))]
	ld, st, atom := "ld", "st", "atom"
	if name == "s" {
		ld, st, atom = "suld", "sust", "suatom"
	}
	switch rng.Intn(9) {
	case 0, 1:
		return []string{fmt.Sprintf("%s.%s %s, %s", ld, pick("weak", "relaxed."+scope(), "acquire."+scope()), reg, name)}
	case 2, 3:
		return []string{fmt.Sprintf("%s.%s %s, %d", st, pick("weak", "relaxed."+scope(), "release."+scope()), name, 1+rng.Intn(2))}
	case 4:
		return []string{"fence." + pick("acq_rel.", "sc.") + scope()}
	case 5:
		return []string{fmt.Sprintf("%s.%s.%s.%s", atom, pick("relaxed", "acq_rel"), scope(),
			pick("add "+reg+", "+name+", 1", "exch "+reg+", "+name+", 2", "cas "+reg+", "+name+", 0, 1"))}
	case 6:
		label := "LC" + strings.TrimPrefix(reg, "r")
		return []string{label + ":", fmt.Sprintf("%s.%s %s, %s", ld, pick("relaxed.gpu", "acquire.gpu", "weak"), reg, name), "beq " + reg + ", 0, " + label}
	case 7:
		if proxies {
			return []string{pick("bar.cta.sync 0", "fence.proxy.surface", "fence.proxy.alias")}
		}
		return []string{pick("bar.cta.sync 0", "bar.cta.arrive 0")}
	}
	label := "LC" + strings.TrimPrefix(reg, "r")
	return []string{label + ":", fmt.Sprintf("%s.relaxed.gpu.cas %s, %s, 1, 2", atom, reg, name), "bne " + reg + ", 1, " + label}
}

// everything finds the final states without any of the search's short cuts; not ok where that takes too long. Loops are
// followed for two rounds whatever they do: what is found that way has to be found without the rounds that do nothing, and
// no round can find what none does.
func everything(p *Program, m *Model) (states map[string]bool, raced, ok bool) {
	e := &all{search: &search{ctx: context.Background(), program: p, model: m, options: Options{States: true, Limit: 1 << 60}}, states: map[string]bool{}}
	lists := make([][]*path, len(p.threads))
	combinations := 1
	for t := range p.threads {
		left := maxWalked
		w := pathsOf(p, t, everyRound, 2, &left)
		lists[t] = w.out
		combinations *= len(w.out)
	}
	if combinations > 30 {
		return nil, false, false
	}
	paths := make([]*path, len(lists))
	var choose func(t int)
	choose = func(t int) {
		if t == len(lists) {
			e.reads(slices.Clone(paths))
			return
		}
		for _, q := range lists[t] {
			paths[t] = q
			choose(t + 1)
		}
	}
	choose(0)
	return e.states, e.raced, e.tried <= mostTried
}

// mostTried bounds what everything looks at.
const mostTried = 6000

type all struct {
	*search
	states map[string]bool
	raced  bool
	tried  int
}

func (e *all) reads(paths []*path) {
	e.shape = e.lay(paths)
	n := len(e.shape.events)
	e.machine = newMachine(e.model, n)
	e.fill(e.machine, e.shape)
	e.from, e.phase = make([]int, n), make([]int, n)
	for i := range e.from {
		e.from[i], e.phase[i] = -1, -1
	}
	if !e.machine.run(fixed) {
		return
	}
	var choose func(i int)
	choose = func(i int) {
		if e.tried > mostTried {
			return
		}
		if i == len(e.shape.reads) {
			e.whole()
			return
		}
		r := e.shape.reads[i]
		for w, o := range e.shape.events {
			if (o.kind == eventWrite || o.kind == eventInit) && o.cell == e.shape.events[r].cell &&
				!(o.rmw && o.thread == e.shape.events[r].thread && o.source == e.shape.events[r].local) {
				e.from[r] = w
				e.machine.add(e.machine.bases["rf"], w, r)
				choose(i + 1)
				e.machine.drop(e.machine.bases["rf"], w, r)
			}
		}
	}
	e.phases(0, func() { choose(0) })
}

// whole looks at one choice of writes for all reads.
func (e *all) whole() {
	e.tried++
	e.forget()
	for t, p := range e.shape.paths {
		for _, x := range p.tests {
			a, okA := e.value(t, x.a)
			b, okB := e.value(t, x.b)
			if !okA || !okB || compare(x.fn, a, b) != x.want {
				return
			}
		}
	}
	groups, known := e.gather()
	if !known {
		return
	}
	e.barriers(groups, func() {
		var pairs [][3]int // order, and two events
		for i := range e.shape.events {
			for j := range i {
				a, b := &e.shape.events[i], &e.shape.events[j]
				if a.kind == eventFence && b.kind == eventFence && a.in.sem == seqCst && b.in.sem == seqCst {
					pairs = append(pairs, [3]int{0, i, j})
				}
				if a.kind == eventWrite && b.kind == eventWrite && a.cell == b.cell {
					pairs = append(pairs, [3]int{1, i, j})
				}
			}
		}
		e.orders(pairs)
	})
}

// orders tries both directions of each pair, and none.
func (e *all) orders(pairs [][3]int) {
	if e.tried > mostTried {
		return
	}
	if len(pairs) == 0 {
		e.tried++
		if !e.machine.run(fixed) {
			return
		}
		for o := range e.model.orders {
			if _, _, found := e.machine.undecided(o); found {
				return
			}
		}
		closable := e.closable(0)
		if e.machine.run(fixed); !closable {
			return
		}
		if _, found := e.machine.flags("race"); found {
			e.raced = true
		}
		e.result.States, e.search.states = nil, map[string]int{}
		e.finals(0, make([]int64, len(e.program.shown)))
		for _, s := range e.result.States {
			e.states[fmt.Sprint(s.Values)] = true
		}
		return
	}
	x := pairs[0]
	e.orders(pairs[1:])
	for range 2 {
		e.machine.add(e.machine.picks[x[0]], x[1], x[2])
		e.orders(pairs[1:])
		e.machine.drop(e.machine.picks[x[0]], x[1], x[2])
		x[1], x[2] = x[2], x[1]
	}
}

// TestRelations compares the operations on rows of bits with those on pairs.
func TestRelations(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 5, 63, 64, 65, 130} {
		g := grid{n, wordsFor(n)}
		a, b, dst := g.relation(), g.relation(), g.relation()
		for range 2 * n {
			g.add(a, rng.Intn(n), rng.Intn(n))
			g.add(b, rng.Intn(n), rng.Intn(n))
		}
		same := func(what string, want func(i, j int) bool) {
			t.Helper()
			for i := range n {
				for j := range n {
					if g.has(dst, i, j) != want(i, j) {
						t.Fatalf("%s of %d: pair %d %d", what, n, i, j)
					}
				}
			}
		}
		g.compose(dst, a, b)
		same("compose", func(i, j int) bool {
			for k := range n {
				if g.has(a, i, k) && g.has(b, k, j) {
					return true
				}
			}
			return false
		})
		g.inverse(dst, a)
		same("inverse", func(i, j int) bool { return g.has(a, j, i) })
		g.reflexive(dst, a)
		same("reflexive", func(i, j int) bool { return i == j || g.has(a, i, j) })
		g.closure(dst, a)
		reach := make([]map[int]bool, n)
		for i := range n {
			reach[i] = map[int]bool{}
			for stack := []int{i}; len(stack) > 0; {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for j := range n {
					if g.has(a, k, j) && !reach[i][j] {
						reach[i][j] = true
						stack = append(stack, j)
					}
				}
			}
		}
		same("closure", func(i, j int) bool { return reach[i][j] })
	}
}

// FuzzRead: no file makes the reader or the solver fail in any way but an error, or run for ever.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"mp-fences", "lock-cas", "barrier-count", "alias-fence", "grid-barrier", "ring-stage", "mbarrier-asked-in-loop",
		"named-barrier-exited", "cluster-barrier-again", "tensormap-ctas", "wgmma-fence", "mbarrier-init-cluster", "copy-reduce"} {
		f.Add(ownText(f, name))
	}
	m, err := LoadModel("ptx-async")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("no line: %v", err)
			}
			return
		}
		for property := range Properties {
			r := Solve(context.Background(), p, m, Options{Property: Property(property), Limit: 300})
			if r.Witness != nil {
				_ = r.Witness.Text() + r.Witness.Dot(p.Name)
			}
		}
	})
}
