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
func (o *oracle) step(at []int, tokens []int, flying []int, c counter, answers string) {
	key := fmt.Sprint(at, tokens, flying, c, answers)
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
		next, after, tok, wings, said := slices.Clone(at), c, slices.Clone(tokens), slices.Clone(flying), answers
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
			wings[p.tx]++
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
			after.contribute(p.count, p.tx, drop)
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
		after, wings := c, slices.Clone(flying)
		wings[tx]--
		after.contribute(0, -tx, 0)
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

// TestPhasesAgainstAllOrders compares the answers of test_wait on one mbarrier, and whether somebody waits for ever, with
// those found by running the threads in every order: on one object the model allows every order of the threads' operations,
// and no other.
func TestPhasesAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	m := model(t, "ptx-async")
	ends, hangs, unclear := 0, 0, 0
	for range 1500 {
		threads, count := randomPuts(rng)
		text := putsText(threads, count)
		p, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		o := &oracle{threads: threads, ends: map[string]bool{}, seen: map[string]bool{}}
		o.step(make([]int, len(threads)), make([]int, len(threads)), make([]int, 3), counter{pending: count, expected: count}, "")
		r := Solve(context.Background(), p, m, Options{States: true})
		if (r.Reason != "") != o.undefined {
			t.Fatalf("reason %q, undefined %v in\n%s", r.Reason, o.undefined, text)
		}
		if o.undefined {
			unclear++
			continue
		}
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
		if !maps.Equal(got, o.ends) {
			t.Fatalf("answers %v, want %v in\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(o.ends)), text)
		}
		if e := Solve(context.Background(), p, m, Options{Property: Termination}); e.Verdict != verdict(!o.hangs) {
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

func randomPuts(rng *rand.Rand) (threads [][]put, count int) {
	threads = make([][]put, 2+rng.Intn(2))
	for t := range threads {
		arrived := false
		for range 1 + rng.Intn(3) {
			p := put{parity: rng.Intn(2)}
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
				if arrived {
					p.kind = "token"
				}
			}
			arrived = arrived || p.kind == "arrive"
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
					c = append(c, fmt.Sprintf("mbarrier.arrive.expect_tx r9, b, %d", p.tx))
				} else {
					c = append(c, fmt.Sprintf("mbarrier.arrive r9, b, %d", p.count))
				}
			case "drop":
				c = append(c, "mbarrier.arrive_drop b")
			case "expect":
				c = append(c, fmt.Sprintf("mbarrier.expect_tx b, %d", p.tx))
			case "copy":
				c = append(c, fmt.Sprintf("cp.async.bulk.shared.global x, y, %d, b", p.tx))
			case "wait":
				c = append(c, fmt.Sprintf("mbarrier.try_wait.parity b, %d", p.parity))
			case "token":
				c = append(c, "mbarrier.try_wait b, r9")
			case "test":
				c = append(c, fmt.Sprintf("mbarrier.test_wait.parity r%d, b, %d", i, p.parity))
				shown += fmt.Sprintf(" \\/ P%d:r%d == 1", t, i)
			}
		}
		columns = append(columns, c)
	}
	return "PTX puts\n{\nb @ mbarrier " + fmt.Sprint(count) + ";\n}\n" + table(columns) + "exists (" + shown + ")\n"
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
