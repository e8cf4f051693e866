package explore

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// rounds says of a protocol whose classes go round n times and do nothing else that n is the value of an unknown, and
// that the rounds repeat after a period.
func rounds(p *protocol.Protocol, n, period int) *protocol.Protocol {
	p.Values = map[string]string{"n": fmt.Sprint(n)}
	p.Repeats = []protocol.Repeat{{Unknown: "n", Period: period, Least: period}}
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
		wrong = wrong || m.Result.Wrong()
	}
	return list, wrong
}

func TestEvery(t *testing.T) {
	for name, f := range map[string]Family{
		"smoother":       of(func(n int) *protocol.Protocol { return rounds(smoother(128, n, alternate), n, 2) }),
		"ring, 2 stages": of(func(n int) *protocol.Protocol { return rounds(ring(2, n, 1), n, 4) }),
		"ring, 3 stages": of(func(n int) *protocol.Protocol { return rounds(ring(3, n, 32), n, 6) }),
		"ring, 8 stages": of(func(n int) *protocol.Protocol { return rounds(ring(8, n, 4), n, 16) }),
		"two rings": of(func(n int) *protocol.Protocol {
			p := ring(2, n, 1)
			q := ring(2, n, 3)
			for c := range q.Classes { // the same in another CTA
				k := &q.Classes[c]
				k.CTA = 1
				for l := range k.Ops {
					p.Classes[c].Blocks[l], k.Blocks[l] = nil, nil
					p.Classes[c].Ops[l].Access, k.Ops[l].Access = nil, nil
					k.Ops[l].Object += len(p.Mbars)
					k.Ops[l].Effects = slices.Clone(k.Ops[l].Effects)
					for i := range k.Ops[l].Effects {
						k.Ops[l].Effects[i].Mbar += len(p.Mbars)
					}
				}
			}
			for o := range q.Mbars {
				q.Mbars[o].CTA = 1
			}
			p.Buffers = nil
			p.CTAs, p.Mbars, p.Classes = 2, append(p.Mbars, q.Mbars...), append(p.Classes, q.Classes...)
			return rounds(p, n, 4)
		}),
		"named barriers":   of(func(n int) *protocol.Protocol { return rounds(handoff(64, n), n, 1) }),
		"twice the period": of(func(n int) *protocol.Protocol { return rounds(ring(2, n, 1), n, 8) }),
	} {
		t.Run(name, func(t *testing.T) {
			w := Every(context.Background(), certifying(t, f), engine.Limits{})
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
		p.Repeats = []protocol.Repeat{{Unknown: "n", Period: period, Least: filled + lead + stages + period}}
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
	from, to := seeds(0, 150)
	proved, wrong, reasons := 0, 0, map[string]int{}
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(int64(seed)))
		at, stages := randomRing(r)
		w := Every(context.Background(), certifying(t, of(at)), engine.Limits{States: 1 << 18})
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
					t.Fatalf("seed %d: %s is said to hold for every n and is violated for %d:\n%s", seed, prop, n, random.Print(at(n)))
				}
			}
			if n < len(w.Members) && w.Reason == "" && !bad && got.Wrong() {
				t.Fatalf("seed %d: n = %d is wrong, and nobody says so", seed, n)
			}
		}
	}
	t.Logf("%d families proved, %d wrong; of the others: %v", proved, wrong, reasons)
	if proved < (to-from)/4 {
		t.Errorf("only %d of %d families were proved", proved, to-from)
	}
}

// TestEveryConditions has a family for each condition of Every: all members that are looked at are right, and a larger one
// is not, or not known to be.
func TestEveryConditions(t *testing.T) {
	// A counter that n rounds fill, and a thread that waits for it once, in the end.
	filled := func(n, count, period, least int) *protocol.Protocol {
		p := one(mb("b", count))
		var ops []protocol.Op
		for range n {
			ops = append(ops, arrive(0))
		}
		class(p, 0, 1, ops...)
		rounds(p, n, period).Repeats[0].Least = least + period
		class(p, 0, 1, wait(0, 0))
		return p
	}
	from := func(n int, f Family) Family {
		f.From = []int{n}
		return f
	}
	for _, c := range []struct {
		name, reason string
		family       Family
		wrong        int // for which a member is wrong
	}{
		{"pending arrivals", "otherwise than it finds them", from(5, of(func(n int) *protocol.Protocol { return filled(n, 5, 1, 5) })), 10},
		{"rounds differ", "what class 0 does changes with n", of(func(n int) *protocol.Protocol {
			p := rounds(ring(2, n, 1), n, 3)
			return p
		}), -1},
		{"too few rounds", "too few to repeat", of(func(n int) *protocol.Protocol {
			p := rounds(ring(2, n, 1), n, 4)
			p.Loops[1].Lead = 5
			return p
		}), -1},
		{"one loop and two", "goes round 2 loops, others 1", of(func(n int) *protocol.Protocol {
			p := rounds(ring(2, 2*n, 1), n, 4)
			heads := p.Loops[1].Heads
			p.Loops[1].Heads = nil
			p.Loops = append(p.Loops, protocol.Loop{Unknown: "n", Class: 1})
			for i := range n + 1 {
				p.Loops[1].Heads = append(p.Loops[1].Heads, heads[n]/2/max(1, n)*i)
				p.Loops[2].Heads = append(p.Loops[2].Heads, heads[n]/2+heads[n]/2/max(1, n)*i)
			}
			return p
		}), -1},
		{"out of step", "does not get to round", of(func(n int) *protocol.Protocol {
			// The second class needs the first's next round in each of its own.
			p := one(mb("b", 1), mb("go", 1))
			var a, b []protocol.Op
			for i := range n + 1 {
				a = append(a, arrive(0), wait(1, i%2))
			}
			for i := range n + 1 {
				b = append(b, wait(0, i%2), arrive(1))
			}
			class(p, 0, 1, a...)
			class(p, 0, 1, b...)
			rounds(p, n, 2)
			for l := range p.Loops {
				for i := range p.Loops[l].Heads {
					p.Loops[l].Heads[i] = 2*i + 2*l // the second class's loop begins a round later
				}
			}
			return p
		}), -1},
		{"ahead without a bound", "far ahead", of(func(n int) *protocol.Protocol {
			// Nothing holds the first class back from a barrier that the second arrives on, too.
			p := one(mb("full", 1), mb("empty", 1), mb("sum", 8))
			var add, write, read []protocol.Op
			for i := range n {
				add = append(add, arrive(2))
				write = append(write, wait(1, 1-i%2), arrive(2), arrive(0))
				read = append(read, wait(0, i%2), arrive(1))
			}
			class(p, 0, 1, add...)
			class(p, 0, 1, write...)
			class(p, 0, 1, read...)
			return rounds(p, n, 8)
		}), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := Every(context.Background(), certifying(t, c.family), engine.Limits{})
			if !strings.Contains(w.Reason, c.reason) {
				t.Errorf("%d members, reason %q, want %q", len(w.Members), w.Reason, c.reason)
			}
			for _, m := range w.Members {
				if m.Result.Wrong() {
					t.Errorf("%v is wrong", m.Values)
				}
			}
			if c.wrong < 0 {
				return
			}
			if p, err := c.family.At([]int{c.wrong}); err != nil || !Check(context.Background(), p, engine.Limits{}).Wrong() {
				t.Errorf("%d is right", c.wrong)
			}
		})
	}
}
