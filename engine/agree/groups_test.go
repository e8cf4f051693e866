package agree

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// copying is a program of threads that each copy to slots of their own in groups, wait for some of these, meet, and read.
type copying struct {
	threads, slots int
	steps          []copyStep
}

type copyStep struct {
	kind byte // 'c' copy to slot n, 'g' commit, 'w' wait that leaves n groups, 's' meet, 'r' read slot n
	n    int
	next bool // read: the slot of the next thread
}

// drawCopying keeps a slot from being copied to while it is: which of two writes comes first is no question here.
func drawCopying(r *rand.Rand) copying {
	c := copying{threads: 2 + r.IntN(2), slots: 2}
	var groups [][]int
	var open []int
	flies := func(s int) bool {
		return slices.Contains(open, s) || slices.ContainsFunc(groups, func(g []int) bool { return slices.Contains(g, s) })
	}
	for range 3 + r.IntN(8) {
		s := copyStep{kind: "ccgwsrr"[r.IntN(7)], n: r.IntN(2), next: r.IntN(2) == 0}
		switch s.kind {
		case 'c':
			if flies(s.n) {
				continue
			}
			open = append(open, s.n)
		case 'g':
			groups, open = append(groups, open), nil
		case 'w':
			groups = groups[max(0, len(groups)-s.n):]
		}
		c.steps = append(c.steps, s)
	}
	return c
}

func (c copying) protocol(classes, each int) *protocol.Protocol {
	p := &protocol.Protocol{CTAs: 1, Named: []protocol.Named{{Threads: c.threads}}, Buffers: []protocol.Buffer{{Name: "slots", Elements: c.slots * c.threads}}}
	for i := range classes {
		p.Classes = append(p.Classes, c.class(i, each))
	}
	return p
}

// class is one thread that issues and drains, or all threads with pending accesses.
func (c copying) class(thread, count int) protocol.Class {
	k := protocol.Class{Name: "c", Count: count, Blocks: make([][]protocol.Access, 1)}
	var open []int
	var groups [][]int
	flying := map[int]int{} // slot → location of its Issue
	access := func(slot int, write, next bool) protocol.Access {
		a := protocol.Access{Write: write}
		for t := thread; t < thread+count; t++ {
			who := t
			if next {
				who = (t + 1) % c.threads
			}
			a.Elements = append(a.Elements, protocol.Range{Lo: slot*c.threads + who, Hi: slot*c.threads + who + 1})
		}
		return a
	}
	pending := func() {
		for slot := range c.slots {
			if _, ok := flying[slot]; ok && count > 1 {
				a := access(slot, true, false)
				a.Async, a.Pending = true, true
				k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], a)
			}
		}
	}
	do := func(o protocol.Op) {
		k.Ops, k.Blocks = append(k.Ops, o), append(k.Blocks, nil)
		pending()
	}
	for _, s := range c.steps {
		switch s.kind {
		case 'c':
			flying[s.n], open = len(k.Ops), append(open, s.n)
			if count == 1 {
				do(protocol.Op{Kind: protocol.Issue, Access: []protocol.Access{access(s.n, true, false)}})
				continue
			}
			a := access(s.n, true, false)
			a.Async, a.Pending = true, true
			k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], a)
		case 'g':
			groups, open = append(groups, open), nil
		case 'w':
			var drains []int
			for ; len(groups) > s.n; groups = groups[1:] {
				for _, slot := range groups[0] {
					drains = append(drains, flying[slot])
					delete(flying, slot)
				}
			}
			if count > 1 {
				drains = nil
			}
			do(protocol.Op{Kind: protocol.Drain, Drains: drains})
		case 's':
			do(protocol.Op{Kind: protocol.NamedSync})
		case 'r':
			k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], access(s.n, false, s.next))
		}
	}
	return k
}

// TestPendingCopies: copies that the threads of a class wait for, each for its own, race as accesses from the issue to the
// wait exactly if they do as operations in flight of threads on their own, for whom Drain is exact.
func TestPendingCopies(t *testing.T) {
	raced := 0
	const programs = 4000
	for seed := range programs {
		c := drawCopying(rand.New(rand.NewPCG(uint64(seed), 3)))
		one, apart := c.protocol(1, c.threads), c.protocol(c.threads, 1)
		want := explore.Exhaust(context.Background(), apart, engine.Limits{}).Properties[protocol.Race].Verdict
		for name, r := range map[string]*engine.Result{
			"search": explore.Exhaust(context.Background(), one, engine.Limits{}),
			"check":  explore.Check(context.Background(), one, engine.Limits{}),
		} {
			a := r.Properties[protocol.Race]
			if a.Verdict != want || want == engine.Inconclusive {
				t.Fatalf("seed %d: %s says %s, threads on their own %s\n%s", seed, name, a.Verdict, want, random.Print(one))
			}
			if a.Trace != nil {
				if _, err := replay.Run(one, a.Trace, protocol.Race); err != nil {
					t.Fatalf("seed %d: the trace of %s does not replay: %v", seed, name, err)
				}
			}
		}
		if want == engine.Violated {
			raced++
		}
	}
	if raced < programs/10 || raced > programs*9/10 {
		t.Errorf("%d of %d race", raced, programs)
	}
}
