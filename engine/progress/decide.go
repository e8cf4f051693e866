package progress

import (
	"fmt"
	"strings"
)

// maxNumbers bounds the numbers in all states together: locations, registers and cells.
const maxNumbers = 1 << 23

// Answer is what is known about one guarantee: the program always ends, or a Lasso shows how it may run for ever.
type Answer struct {
	Ends  bool
	Lasso *Lasso
}

// Lasso is an execution that never ends: after Stem, the steps of Cycle go on for ever. Under a strong form, what is
// guaranteed of the threads in Held can never lead out of where they are, whatever they choose.
type Lasso struct {
	Stem, Cycle []Step
	Held        []int
}

// Step is a step of a thread, by its index: the line of its text, 0 where there is none, that of the call that leads there, and what
// it does in words.
type Step struct {
	Thread int
	Line   int
	From   int
	Text   string
}

// Result is what is known about a system. A guarantee without an answer is one that could not be decided.
type Result struct {
	Threads []Thread
	Answers map[Guarantee]Answer
	States  int
}

// Decide says for every guarantee whether the program always ends under it. An error means that it could not be told.
func Decide(system System) (*Result, error) { return DecideWithin(system, maxNumbers) }

// DecideWithin is Decide with a bound on the numbers in all states together.
func DecideWithin(system System, numbers int) (*Result, error) {
	g, err := explore(system, numbers)
	if err != nil {
		return nil, err
	}
	r := &Result{Threads: g.threads, Answers: map[Guarantee]Answer{}, States: len(g.states)}
	of, count := g.components()
	for _, m := range Models {
		weak := g.weak(m, of, count)
		r.Answers[Guarantee{m, false}] = weak
		strong := g.strong(m)
		if strong.Ends && !weak.Ends && weak.Lasso.Held == nil {
			strong = weak // a cycle on which nobody is guaranteed anything
		}
		r.Answers[Guarantee{m, true}] = strong
	}
	for _, g := range Guarantees() {
		if a := r.Answers[g]; !a.Ends {
			if err := Replay(system, g, a.Lasso); err != nil {
				return nil, fmt.Errorf("an execution that was found does not replay: %w", err)
			}
		}
	}
	return r, nil
}

// Weakest lists the guarantees under which the program ends and that are above no other such one.
func (r *Result) Weakest() []Guarantee {
	var out []Guarantee
	for _, g := range Guarantees() {
		if g.Model == CUDA || !r.Answers[g].Ends {
			continue
		}
		least := true
		for _, h := range Guarantees() {
			least = least && !(h.Model != CUDA && h != g && r.Answers[h].Ends && h.Below(g))
		}
		if least {
			out = append(out, g)
		}
	}
	return out
}

// Needs says in a line what a system needs of the scheduler.
func (r *Result) Needs() string {
	list := r.Weakest()
	if len(list) == 0 {
		return "may run for ever under every model"
	}
	var names []string
	for _, g := range list {
		names = append(names, g.String())
	}
	if names[0] == "weak_unfair" {
		return "always ends, whatever the scheduler does"
	}
	for _, g := range Guarantees() {
		if _, decided := r.Answers[g]; !decided && g.Model != Unfair && g.Below(list[0]) {
			return "always ends under " + strings.Join(names, " or ") + "; whether under " + g.String() + " was not decided"
		}
	}
	return "always ends under " + strings.Join(names, " or ") + ", and under no weaker model"
}

// weak looks for a component in which every guaranteed thread goes on for ever.
func (g *graph) weak(m Model, of []int32, count int) Answer {
	steps := make([]set, count) // who has a step inside
	for i := range g.states {
		for _, e := range g.out[i] {
			if of[i] == of[e.to] {
				steps[of[i]] |= 1 << e.thread
			}
		}
	}
	for i := range g.states { // the first state of a component is the nearest to the start
		c := of[i]
		if f := g.guaranteed(m, i); steps[c] != 0 && f&^steps[c] == 0 {
			return Answer{Lasso: &Lasso{Stem: g.path(i), Cycle: g.tour(i, f, of), Held: members(f)}}
		}
	}
	return Answer{Ends: true}
}

// strong looks for a state that guaranteed threads cannot leave for the end.
func (g *graph) strong(m Model) Answer {
	n := len(g.states)
	back := make([][]int32, n)
	var queue []int32
	good, guaranteed := make([]bool, n), make([]set, n)
	for i := range g.states {
		guaranteed[i] = g.guaranteed(m, i)
		if g.done(i) || guaranteed[i] == 0 {
			good[i] = true
			queue = append(queue, int32(i))
		}
		for _, e := range g.out[i] {
			if guaranteed[i].has(int(e.thread)) {
				back[e.to] = append(back[e.to], int32(i))
			}
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, from := range back[i] {
			if !good[from] {
				good[from] = true
				queue = append(queue, from)
			}
		}
	}
	for i := range g.states {
		if !good[i] {
			before, cycle := g.walk(i, guaranteed)
			return Answer{Lasso: &Lasso{Stem: append(g.path(i), before...), Cycle: cycle, Held: members(guaranteed[i])}}
		}
	}
	return Answer{Ends: true}
}

func members(s set) []int {
	var out []int
	for t := range maxThreads {
		if s.has(t) {
			out = append(out, t)
		}
	}
	return out
}

// taken is the step of a thread from state i.
func (g *graph) taken(i int32, t int32) Step {
	line, from, text := g.system.Describe(g.states[i].numbers, int(t))
	return Step{int(t), line, from, text}
}

// path is the shortest way to a state.
func (g *graph) path(to int) []Step {
	var out []Step
	for i := int32(to); g.parent[i].to >= 0; i = g.parent[i].to {
		out = append(out, g.taken(g.parent[i].to, g.parent[i].thread))
	}
	for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
		out[a], out[b] = out[b], out[a]
	}
	return out
}

// tour is a closed walk from a state inside its component with a step of every thread of a set.
func (g *graph) tour(start int, f set, of []int32) []Step {
	var out []Step
	at := int32(start)
	inside := func(i int32, e edge) bool { return of[i] == of[e.to] }
	for _, t := range append(members(f), -1) {
		steps, to := g.toward(at, func(i int32, e edge) bool { return inside(i, e) && (t < 0 || int(e.thread) == t) }, inside)
		if t < 0 && len(out) > 0 {
			break
		}
		out, at = append(out, steps...), to
	}
	if at != int32(start) {
		steps, _ := g.toward(at, func(i int32, e edge) bool { return inside(i, e) && e.to == int32(start) }, inside)
		out = append(out, steps...)
	}
	return out
}

// toward is the shortest walk over allowed steps that ends with one that is wanted.
func (g *graph) toward(from int32, wanted, allowed func(int32, edge) bool) ([]Step, int32) {
	type visit struct {
		by   Step
		from int32
	}
	seen := map[int32]visit{from: {from: -1}}
	queue := []int32{from}
	back := func(i int32, last Step) []Step {
		out := []Step{last}
		for ; i != from; i = seen[i].from {
			out = append(out, seen[i].by)
		}
		for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
			out[a], out[b] = out[b], out[a]
		}
		return out
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, e := range g.out[i] {
			if wanted(i, e) {
				return back(i, g.taken(i, e.thread)), e.to
			}
			if _, ok := seen[e.to]; !ok && allowed(i, e) {
				seen[e.to] = visit{g.taken(i, e.thread), i}
				queue = append(queue, e.to)
			}
		}
	}
	return nil, from
}

// walk follows guaranteed threads in turn until a state comes again; it gives the steps before that state first comes, and
// those from there on.
func (g *graph) walk(start int, guaranteed []set) (before, cycle []Step) {
	seen := map[[2]int32]int{}
	var out []Step
	at, turn := int32(start), int32(0)
	for {
		if first, ok := seen[[2]int32{at, turn}]; ok {
			return out[:first], out[first:]
		}
		seen[[2]int32{at, turn}] = len(out)
		next := edge{-1, 0}
		for _, e := range g.out[at] {
			if guaranteed[at].has(int(e.thread)) && (next.thread < 0 || e.thread >= turn && next.thread < turn) {
				next = e
			}
		}
		out = append(out, g.taken(at, next.thread))
		at, turn = next.to, next.thread+1
	}
}
