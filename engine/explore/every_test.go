package explore

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// rounds says of a protocol whose classes go round n times and do nothing else that n is the value of an unknown, and
// that the rounds repeat after a period.
func rounds(p *protocol.Protocol, n, period int) *protocol.Protocol {
	p.Values = map[string]string{"n": fmt.Sprint(n)}
	p.Repeats = []protocol.Repeat{{Unknown: "n", Period: period}}
	for c := range p.Classes {
		l := protocol.Loop{Unknown: "n", Class: c, Heads: []int{0}}
		for i := range n {
			l.Heads = append(l.Heads, len(p.Classes[c].Ops)*(i+1)/n)
		}
		p.Loops = append(p.Loops, l)
	}
	return p
}

// of is a family with one unknown, from zero.
func of(at func(n int) *protocol.Protocol) Family {
	return Family{Unknowns: []string{"n"}, From: []int{0}, At: func(values []int) (*protocol.Protocol, error) { return at(values[0]), nil }}
}

// holds lists the properties that hold in the whole family, and whether there is an error in it.
func (w *Whole) holds() (list map[protocol.Property]bool, wrong bool) {
	list = map[protocol.Property]bool{}
	for _, prop := range protocol.Properties {
		list[prop] = w.Reason == ""
		for _, m := range w.Members {
			list[prop] = list[prop] && m.Result.Properties[prop].Verdict == engine.Holds
		}
	}
	for _, m := range w.Members {
		wrong = wrong || broken(m.Result)
	}
	return list, wrong
}

func TestEvery(t *testing.T) {
	for name, f := range map[string]Family{
		"smoother":         of(func(n int) *protocol.Protocol { return rounds(smoother(128, n, alternate), n, 2) }),
		"ring, 2 stages":   of(func(n int) *protocol.Protocol { return rounds(ring(2, n, 1), n, 4) }),
		"ring, 3 stages":   of(func(n int) *protocol.Protocol { return rounds(ring(3, n, 32), n, 6) }),
		"ring, 8 stages":   of(func(n int) *protocol.Protocol { return rounds(ring(8, n, 4), n, 16) }),
		"named barriers":   of(func(n int) *protocol.Protocol { return rounds(handoff(64, n), n, 1) }),
		"twice the period": of(func(n int) *protocol.Protocol { return rounds(ring(2, n, 1), n, 8) }),
	} {
		t.Run(name, func(t *testing.T) {
			w := Every(context.Background(), f, engine.Limits{})
			if w.Reason != "" {
				t.Fatal(w.Reason)
			}
			for prop, yes := range firstOf(w.holds()) {
				if !yes && !(name == "smoother" && prop == protocol.Attribution) {
					t.Errorf("%s does not hold", prop)
				}
			}
			t.Logf("%d members, %d states", len(w.Members), w.States)
		})
	}
}

func firstOf[A, B any](a A, _ B) A { return a }

// randomRing draws a ring of stages between a producer and consumers, with what real ones have besides, and with faults;
// at gives it for a number of rounds.
func randomRing(r *rand.Rand) (at func(n int) *protocol.Protocol, stages int) {
	stages = 1 + r.Intn(3)
	threads := []int{1 + r.Intn(2), 1 + r.Intn(3), r.Intn(3)} // producer, consumers, others that follow them
	fault := func(of int) bool { return r.Intn(of) == 0 }
	var (
		bytes      = threads[0] == 1 && fault(2)
		filled     = r.Intn(stages + 1) // rounds that the producer begins with
		tail       = fault(2)
		meet       = r.Intn(6) // 0: consumers, 1: all threads, 2: the cluster
		empty      = max(1, threads[1]+threads[2]-r.Intn(8)/7)
		hard       = r.Intn(24) // 0: the producer's parity does not change, 1: the consumers'
		start      = r.Intn(16) / 15
		every      = 2 + r.Intn(3) // what is done every so often only
		skip       = r.Intn(20)    // 0: no release, 1: no arrival, 2: no wait
		stray      = fault(24)
		late       = fault(16)
		accesses   = fault(2)
		unbounded  = fault(24)
		lead       = r.Intn(3)
		releaseAll = fault(3)
	)
	return func(n int) *protocol.Protocol {
		p := &protocol.Protocol{Kernel: "ring", CTAs: 1, Cluster: true, Values: map[string]string{"n": fmt.Sprint(n)}}
		for s := range stages {
			p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("full[%d]", s), Count: threads[0]})
			p.Buffers = append(p.Buffers, protocol.Buffer{Name: fmt.Sprintf("tile[%d]", s), Elements: 1})
		}
		for s := range stages {
			p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: fmt.Sprintf("empty[%d]", s), Count: empty})
		}
		p.Named = []protocol.Named{{ID: 1, Threads: threads[1] + threads[2]}, {ID: 0}}
		period := 2 * stages
		if skip < 3 || stray {
			period *= every / common(period, every)
		}
		p.Repeats = []protocol.Repeat{{Unknown: "n", Period: period, Least: filled + lead}}
		for c, count := range threads {
			if count == 0 {
				continue
			}
			class(p, 0, count)
			k := &p.Classes[len(p.Classes)-1]
			add := func(o protocol.Op, before ...protocol.Access) {
				k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], before...)
				k.Ops, k.Blocks = append(k.Ops, o), append(k.Blocks, nil)
			}
			loop := protocol.Loop{Unknown: "n", Class: len(p.Classes) - 1, Lead: lead}
			if c > 0 {
				loop.Lead += filled
			}
			for i := range n {
				s, phase := i%stages, i/stages%2
				seldom := i%every == every-1
				if c > 0 || i >= filled {
					loop.Heads = append(loop.Heads, len(k.Ops))
				}
				tile := protocol.Access{Buffer: s, Write: c == 0, Elements: []protocol.Range{{Lo: 0, Hi: 1}}}
				if !accesses {
					tile.Elements[0].Hi = 0
				}
				switch {
				case c == 0:
					if parity := phase ^ 1 ^ start; i >= filled && !(skip == 2 && seldom) && !unbounded {
						if hard == 0 {
							parity = 1
						}
						add(wait(stages+s, parity))
					}
					if bytes {
						add(arriveTx(s, 8))
						add(protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Mbar: s, Bytes: 8}}, Access: []protocol.Access{tile}})
					} else if !(skip == 1 && seldom) {
						add(arrive(s), tile)
					}
				default:
					if hard == 1 {
						phase = 0
					}
					add(wait(s, phase))
					if meet == 0 && !late {
						add(named(protocol.NamedSync, 0), tile)
						tile.Elements = []protocol.Range{{}}
					}
					if !(skip == 0 && seldom) {
						add(arrive(stages+s), tile)
					}
					if stray && seldom && c == 1 {
						add(arrive(stages + (s+1)%stages))
					}
				}
				switch {
				case meet == 1:
					add(named(protocol.NamedSync, 1))
				case meet == 2:
					add(protocol.Op{Kind: protocol.ClusterArrive})
					add(protocol.Op{Kind: protocol.ClusterWait})
				case meet == 0 && late && c > 0:
					add(named(protocol.NamedSync, 0))
				}
			}
			loop.Heads = append(loop.Heads, len(k.Ops))
			p.Loops = append(p.Loops, loop)
			if tail && c == 0 {
				for i := n; i < n+stages && releaseAll; i++ {
					if i >= stages {
						add(wait(stages+i%stages, (i/stages%2)^1^start))
					}
				}
			}
			k.Blocks[len(k.Ops)] = append(k.Blocks[len(k.Ops)], protocol.Access{Buffer: 0, Elements: []protocol.Range{{}}})
		}
		return p
	}, stages
}

// TestEveryAgrees compares what is said of all of a family with its members up to four times round the ring, and some
// larger ones.
func TestEveryAgrees(t *testing.T) {
	from, to := seeds(0, 400)
	proved, wrong, reasons := 0, 0, map[string]int{}
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(int64(seed)))
		at, stages := randomRing(r)
		w := Every(context.Background(), of(at), engine.Limits{States: 1 << 18})
		all, bad := w.holds()
		switch {
		case bad:
			wrong++
		case w.Reason == "":
			proved++
		default:
			reasons[w.Reason]++
		}
		list := []int{len(w.Members) + r.Intn(4*stages), len(w.Members) + 7*stages}
		for n := range 4*stages + 1 {
			list = append(list, n)
		}
		for _, n := range list {
			got := Check(context.Background(), at(n), engine.Limits{States: 1 << 16})
			for prop, yes := range all {
				if yes && got.Properties[prop].Verdict == engine.Violated {
					t.Fatalf("seed %d: %s is said to hold for every n and is violated for %d:\n%s", seed, prop, n, Dump(at(n)))
				}
			}
			if n < len(w.Members) && w.Reason == "" && !bad && broken(got) {
				t.Fatalf("seed %d: n = %d is wrong, and nobody says so", seed, n)
			}
		}
	}
	t.Logf("%d families proved, %d wrong; of the others: %v", proved, wrong, reasons)
	if proved < (to-from)/4 {
		t.Errorf("only %d of %d families were proved", proved, to-from)
	}
}
