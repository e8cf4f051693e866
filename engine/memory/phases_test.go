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

// put is one operation on the mbarrier of a random test.
type put struct {
	kind      string // arrive, drop, expect, wait, test, token, copy
	on        int    // which mbarrier
	count, tx int
	parity    int
}

// counter is an mbarrier as PTX ISA 9.7.13.15 has it.
type counter struct{ phase, pending, expected, tx int }

func (c *counter) contribute(count, tx, drop int) {
	c.expected -= drop
	c.tx += tx
	c.pending -= count
	if c.pending == 0 && c.tx == 0 {
		c.phase, c.pending = c.phase+1, c.expected
	}
}

// oracle runs the threads of a test one step at a time, in every order.
type oracle struct {
	threads   [][]put
	ends      map[string]bool
	hangs     bool
	undefined bool
	seen      map[string]bool
}

// step is a state: where the threads are, which copies are under way, the answers so far.
func (o *oracle) step(at []int, tokens []int, flying []int, all []counter, answers string) {
	key := fmt.Sprint(at, tokens, flying, all, answers)
	if o.seen[key] {
		return
	}
	o.seen[key] = true
	moved, over := false, true
	for t, list := range o.threads {
		if at[t] == len(list) {
			continue
		}
		over = false
		p := list[at[t]]
		c := all[p.on]
		next, after, tok, wings, said := slices.Clone(at), slices.Clone(all), slices.Clone(tokens), slices.Clone(flying), answers
		next[t]++
		switch p.kind {
		case "wait":
			if c.phase&1 == p.parity {
				continue
			}
		case "token":
			if c.phase == tokens[t] {
				continue
			}
		case "test":
			said += fmt.Sprintf(" P%d.%d=%v", t, at[t], c.phase&1 != p.parity)
		case "copy":
			wings[3*p.on+p.tx]++
		default:
			if p.count > c.pending {
				o.undefined = true
				continue
			}
			drop := 0
			switch p.kind {
			case "arrive":
				tok[t] = c.phase
			case "drop":
				drop = p.count
			}
			after[p.on].contribute(p.count, p.tx, drop)
		}
		moved = true
		o.step(next, tok, wings, after, said)
	}
	for tx, n := range flying {
		if n == 0 {
			continue
		}
		over = false
		moved = true
		after, wings := slices.Clone(all), slices.Clone(flying)
		wings[tx]--
		after[tx/3].contribute(0, -(tx % 3), 0)
		o.step(at, tokens, wings, after, answers)
	}
	switch {
	case over:
		parts := strings.Fields(answers)
		slices.Sort(parts)
		o.ends[strings.Join(parts, " ")] = true
	case !moved:
		o.hangs = true
	}
}

// TestPhasesAgainstAllOrders compares the answers of test_wait, and whether somebody waits for ever, with those found by
// running the threads in every order. On one mbarrier the model allows what some order of the threads' operations yields and
// nothing else; on two it allows that and more.
func TestPhasesAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	m := model(t, "ptx-async")
	ends, hangs, unclear := 0, 0, 0
	for round := range 1600 {
		objects := 1 + round%2
		threads, count := randomPuts(rng, objects)
		text := putsText(threads, count)
		p, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		o := &oracle{threads: threads, ends: map[string]bool{}, seen: map[string]bool{}}
		start := []counter{{pending: count, expected: count}, {pending: count, expected: count}}
		o.step(make([]int, len(threads)), make([]int, len(threads)), make([]int, 6), start, "")
		r := Solve(context.Background(), p, m, Options{States: true})
		if (r.Reason != "") != o.undefined && objects == 1 {
			t.Fatalf("reason %q, undefined %v in\n%s", r.Reason, o.undefined, text)
		}
		if r.Reason != "" || o.undefined {
			unclear++
			continue
		}
		got := answersOf(p, r)
		for end := range o.ends {
			if !got[end] {
				t.Fatalf("answers %v, want %v in\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(o.ends)), text)
			}
		}
		if objects == 1 && len(got) != len(o.ends) {
			t.Fatalf("answers %v, want only %v in\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(o.ends)), text)
		}
		e := Solve(context.Background(), p, m, Options{Property: Termination})
		if o.hangs && e.Verdict != Fail || objects == 1 && e.Verdict != verdict(!o.hangs) {
			t.Fatalf("termination is %s (%s), some order hangs: %v in\n%s", e.Verdict, e.Reason, o.hangs, text)
		}
		ends += len(got)
		if o.hangs {
			hangs++
		}
	}
	t.Logf("%d ends, %d hang, %d are undefined", ends, hangs, unclear)
	if ends < 500 || hangs < 200 || unclear < 100 {
		t.Errorf("%d ends, %d hang, %d are undefined: too few to tell", ends, hangs, unclear)
	}
}

// answersOf lists the answers of test_wait in the states of a result.
func answersOf(p *Program, r *Result) map[string]bool {
	got := map[string]bool{}
	for _, s := range r.States {
		var parts []string
		for i, name := range p.Shown() {
			if name != "z" {
				thread, reg, _ := strings.Cut(name, ":r")
				parts = append(parts, fmt.Sprintf("%s.%s=%v", thread, reg, s.Values[i] == 1))
			}
		}
		slices.Sort(parts)
		got[strings.Join(parts, " ")] = true
	}
	return got
}

func randomPuts(rng *rand.Rand, objects int) (threads [][]put, count int) {
	threads = make([][]put, 2+rng.Intn(2))
	for t := range threads {
		arrived := -1
		for range 1 + rng.Intn(3) {
			p := put{parity: rng.Intn(2), on: rng.Intn(objects)}
			switch rng.Intn(8) {
			case 0, 1:
				p.kind, p.count = "arrive", 1+rng.Intn(12)/11
			case 2:
				p.kind, p.count, p.tx = "arrive", 1, 1+rng.Intn(2)
			case 3:
				p.kind = "wait"
			case 4:
				p.kind = "test"
			case 5:
				p.kind, p.tx = "copy", 1+rng.Intn(2)
			case 6:
				p.kind, p.tx = "expect", 1+rng.Intn(2)
			case 7:
				p.kind, p.count = "drop", 1
				if arrived >= 0 {
					p.kind, p.on = "token", arrived
				}
			}
			if p.kind == "arrive" {
				arrived = p.on
			}
			threads[t] = append(threads[t], p)
		}
	}
	return threads, 1 + rng.Intn(3)
}

func putsText(threads [][]put, count int) string {
	var columns [][]string
	shown := "z == 0"
	for t, list := range threads {
		c := []string{fmt.Sprintf("P%d@cta 0,gpu 0", t)}
		for i, p := range list {
			switch p.kind {
			case "arrive":
				if p.tx > 0 {
					c = append(c, fmt.Sprintf("mbarrier.arrive.expect_tx r9, b%d, %d", p.on, p.tx))
				} else {
					c = append(c, fmt.Sprintf("mbarrier.arrive r9, b%d, %d", p.on, p.count))
				}
			case "drop":
				c = append(c, fmt.Sprintf("mbarrier.arrive_drop b%d", p.on))
			case "expect":
				c = append(c, fmt.Sprintf("mbarrier.expect_tx b%d, %d", p.on, p.tx))
			case "copy":
				c = append(c, fmt.Sprintf("cp.async.bulk.shared.global x, y, %d, b%d", p.tx, p.on))
			case "wait":
				c = append(c, fmt.Sprintf("mbarrier.try_wait.parity b%d, %d", p.on, p.parity))
			case "token":
				c = append(c, fmt.Sprintf("mbarrier.try_wait b%d, r9", p.on))
			case "test":
				c = append(c, fmt.Sprintf("mbarrier.test_wait.parity r%d, b%d, %d", i, p.on, p.parity))
				shown += fmt.Sprintf(" \\/ P%d:r%d == 1", t, i)
			}
		}
		columns = append(columns, c)
	}
	return fmt.Sprintf("PTX puts\n{\nb0 @ mbarrier %d; b1 @ mbarrier %d;\n}\n", count, count) + table(columns) + "exists (" + shown + ")\n"
}

// table writes the columns of a test.
func table(columns [][]string) string {
	var b strings.Builder
	for row := 0; ; row++ {
		var cells []string
		some := false
		for _, c := range columns {
			cell := ""
			if row < len(c) {
				cell, some = c[row], true
			}
			cells = append(cells, cell)
		}
		if !some {
			return b.String()
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
}
