package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// randomProtocol draws a small protocol with every kind of operation; quiet leaves out what makes most protocols
// meaningless, so that more of the others are drawn.
func randomProtocol(r *rand.Rand) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "random", CTAs: 1 + r.Intn(2), Cluster: true}
	for range 1 + r.Intn(2) {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "b", CTA: r.Intn(p.CTAs), Count: 1 + r.Intn(4)})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{ID: 1, CTA: cta, Threads: r.Intn(5)})
	}
	p.Flags = []protocol.Flag{{Name: "f", Initial: r.Intn(2)}}
	p.Buffers = []protocol.Buffer{{Name: "s", CTA: r.Intn(p.CTAs), Elements: 3}, {Name: "g", CTA: -1, Elements: 3}}
	kinds := map[protocol.Kind]bool{protocol.Arrive: true, protocol.Wait: true}
	for range 3 {
		kinds[protocol.Kind(r.Intn(int(protocol.ArriveDrop)+1))] = true
	}
	var menu []protocol.Kind
	for k := protocol.Init; k <= protocol.ArriveDrop; k++ {
		if kinds[k] {
			menu = append(menu, k)
		}
	}
	for range 2 + r.Intn(3) {
		class(p, r.Intn(p.CTAs), 1+r.Intn(3))
		c := &p.Classes[len(p.Classes)-1]
		for range r.Intn(6) {
			c.Ops = append(c.Ops, randomOp(r, p, c, menu[r.Intn(len(menu))])...)
		}
		c.Ops = alternateCluster(c.Ops)
		c.Blocks = make([][]protocol.Access, len(c.Ops)+1)
		for l := range c.Blocks {
			if r.Intn(4) == 0 {
				c.Blocks[l] = randomAccess(r, p, c)
			}
		}
	}
	return p
}

func randomAccess(r *rand.Rand, p *protocol.Protocol, c *protocol.Class) []protocol.Access {
	a := protocol.Access{Buffer: r.Intn(len(p.Buffers)), Write: r.Intn(2) == 0}
	n := 1
	if r.Intn(2) == 0 {
		n = c.Count
	}
	for range n {
		lo := r.Intn(3)
		a.Elements = append(a.Elements, protocol.Range{Lo: lo, Hi: lo + 1})
	}
	return []protocol.Access{a}
}

func randomOp(r *rand.Rand, p *protocol.Protocol, c *protocol.Class, k protocol.Kind) []protocol.Op {
	o := protocol.Op{Kind: k}
	switch k {
	case protocol.Init, protocol.Wait:
		o.Object, o.Parity = r.Intn(len(p.Mbars)), r.Intn(2)
	case protocol.Arrive, protocol.ArriveExpectTx, protocol.ArriveDrop:
		o.Object, o.Count = r.Intn(len(p.Mbars)), 1+r.Intn(8)/7
		if k == protocol.ArriveExpectTx {
			o.Bytes = 1 + r.Intn(2)
		}
		if k == protocol.ArriveDrop {
			o.Bytes = r.Intn(4) / 3
		}
	case protocol.ExpectTx, protocol.CompleteTx:
		o.Object, o.Bytes = r.Intn(len(p.Mbars)), 1+r.Intn(2)
	case protocol.NamedArrive, protocol.NamedSync:
		o.Object = c.CTA
	case protocol.FlagAdd:
		o.Count = 1 - 2*(r.Intn(8)/7)
	case protocol.FlagStore:
		o.Count = r.Intn(3)
	case protocol.Spin:
		o.Count, o.Compare = r.Intn(4), []string{"==", "!=", ">=", ">", "<=", "<", ">=", "=="}[r.Intn(8)]
	case protocol.Issue:
		for range r.Intn(3) {
			o.Effects = append(o.Effects, protocol.Effect{Mbar: r.Intn(len(p.Mbars)), Bytes: r.Intn(3), Arrivals: r.Intn(2)})
		}
		if r.Intn(2) == 0 {
			o.Access = randomAccess(r, p, c)
		}
	case protocol.Drain:
		for l := range c.Ops {
			if c.Ops[l].Kind == protocol.Issue && r.Intn(3) > 0 {
				o.Drains = append(o.Drains, l)
			}
		}
	}
	return []protocol.Op{o}
}

// alternateCluster turns every other cluster operation into what must come there.
func alternateCluster(ops []protocol.Op) []protocol.Op {
	waiting := false
	for l := range ops {
		if k := ops[l].Kind; k == protocol.ClusterArrive || k == protocol.ClusterWait {
			ops[l].Kind = protocol.ClusterArrive
			if waiting {
				ops[l].Kind = protocol.ClusterWait
			}
			waiting = !waiting
		}
	}
	return ops
}

// mutant changes one thing in a protocol that is right.
func mutant(r *rand.Rand) *protocol.Protocol {
	n := 1 + r.Intn(2)
	p := []func() *protocol.Protocol{
		func() *protocol.Protocol { return smoother(n, 2, alternate) },
		func() *protocol.Protocol { return ring(1+r.Intn(2), 3, n) },
		func() *protocol.Protocol { return counter(n, 2) },
		func() *protocol.Protocol { return handoff(n, 2) },
		func() *protocol.Protocol { return pingpong(2, n) },
		func() *protocol.Protocol { return clusterCopy(n, 2) },
	}[r.Intn(6)]()
	for range r.Intn(3) {
		c := &p.Classes[r.Intn(len(p.Classes))]
		if len(c.Ops) == 0 {
			continue
		}
		l := r.Intn(len(c.Ops))
		switch r.Intn(5) {
		case 0:
			c.Ops[l].Parity ^= 1
		case 1:
			if l+1 < len(c.Ops) && c.Ops[l].Kind != protocol.Issue && c.Ops[l+1].Kind != protocol.Issue {
				c.Ops[l], c.Ops[l+1] = c.Ops[l+1], c.Ops[l]
			}
		case 2:
			if len(p.Mbars) > 0 {
				p.Mbars[r.Intn(len(p.Mbars))].Count = 1 + r.Intn(4)
			}
		case 3:
			if drainAfter := slices.ContainsFunc(c.Ops, func(o protocol.Op) bool { return o.Kind == protocol.Drain }); !drainAfter {
				c.Ops = slices.Delete(slices.Clone(c.Ops), l, l+1)
				c.Blocks = slices.Delete(slices.Clone(c.Blocks), l, l+1)
			}
		case 4:
			c.Ops[l].Count = max(1, c.Ops[l].Count+1-r.Intn(3))
		}
	}
	return p
}

// pingpong is two consumers that take turns on a one-stage ring, so that neither waits for every phase.
func pingpong(trips, n int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "pingpong", CTAs: 1, Mbars: []protocol.Mbarrier{{Name: "full", Count: 1}, {Name: "empty", Count: n}}, Named: []protocol.Named{{ID: 1, Threads: 2 * n}}}
	var producer, turns [2][]protocol.Op
	for i := range 2 * trips {
		producer[0] = append(producer[0], wait(1, (i+1)%2), protocol.Op{Kind: protocol.ArriveExpectTx, Count: 1, Bytes: 8},
			protocol.Op{Kind: protocol.Issue, Effects: []protocol.Effect{{Bytes: 8}}})
		me, other := i%2, 1-i%2
		turns[me] = append(turns[me], wait(0, i%2), arrive(1), protocol.Op{Kind: protocol.NamedArrive})
		turns[other] = append(turns[other], protocol.Op{Kind: protocol.NamedSync})
	}
	class(p, 0, 1, producer[0]...)
	class(p, 0, n, turns[0]...)
	class(p, 0, n, turns[1]...)
	return p
}

// clusterCopy initialises barriers, meets in the cluster barrier, and copies into the peer.
func clusterCopy(n, trips int) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "cluster copy", CTAs: 2, Cluster: true}
	for cta := range 2 {
		p.Mbars = append(p.Mbars, protocol.Mbarrier{Name: "landed", CTA: cta, Count: 1})
		p.Named = append(p.Named, protocol.Named{CTA: cta})
		p.Buffers = append(p.Buffers, protocol.Buffer{Name: "slot", CTA: cta, Elements: trips})
	}
	meet := []protocol.Op{{Kind: protocol.ClusterArrive}, {Kind: protocol.ClusterWait}}
	for cta := range 2 {
		lead := slices.Concat([]protocol.Op{{Kind: protocol.Init, Object: cta}}, meet)
		rest := slices.Clone(meet)
		for i := range trips {
			at := []protocol.Range{{Lo: i, Hi: i + 1}}
			lead = append(lead, protocol.Op{Kind: protocol.ArriveExpectTx, Object: cta, Count: 1, Bytes: 4}, protocol.Op{Kind: protocol.Issue,
				Effects: []protocol.Effect{{Mbar: 1 - cta, Bytes: 4}}, Access: []protocol.Access{{Buffer: 1 - cta, Write: true, Elements: at}}},
				wait(cta, i%2), protocol.Op{Kind: protocol.NamedSync, Object: cta})
			rest = append(rest, wait(cta, i%2), protocol.Op{Kind: protocol.NamedSync, Object: cta})
		}
		class(p, cta, 1, append(lead, meet...)...)
		class(p, cta, n, append(rest, meet...)...)
		c := &p.Classes[len(p.Classes)-1]
		for i := range trips {
			c.Blocks[3+2*i] = []protocol.Access{{Buffer: cta, Elements: []protocol.Range{{Lo: i, Hi: i + 1}}}}
		}
	}
	return p
}

// EachRandom calls do with every valid random protocol of the seeds.
func EachRandom(first, count int, do func(seed int, p *protocol.Protocol)) {
	for seed := first; seed < first+count; seed++ {
		r := rand.New(rand.NewSource(int64(seed)))
		p := randomProtocol(r)
		if seed%2 == 0 {
			p = mutant(r)
		}
		if p.Validate() == nil {
			do(seed, p)
		}
	}
}

// Proved is what frozen runs and scouting find.
func Proved(p *protocol.Protocol) *engine.Result {
	j := newJudge(p)
	pr := prove(j, unlimited(context.Background()))
	if pr.monotone != nil {
		pr.races()
	}
	if pr.differs == "" {
		return pr.result()
	}
	j.scout(pr.found)
	return &engine.Result{Properties: pr.found}
}

// Broken lists broken protocols of launch size.
func Broken() []*protocol.Protocol {
	early := ring(3, 12, 128)
	early.Classes[1].Ops[4].Parity ^= 1
	short := ring(3, 12, 128)
	short.Classes[0].Ops[4].Bytes = 32
	open := handoff(128, 6)
	open.Classes[1].Ops[3].Kind = protocol.Drain
	return []*protocol.Protocol{smoother(128, 30, alternate), smoother(128, 30, zero), early, short, open}
}

// Dump prints a protocol for a failing test.
func Dump(p *protocol.Protocol) string {
	b, _ := json.Marshal(p)
	return string(b)
}

// TestProofAgrees: whatever the frozen runs answer, the search answers too; and what Check answers.
func TestProofAgrees(t *testing.T) {
	ctx := context.Background()
	first, cases := seeds(0, 4000)
	applied, conclusive := 0, map[protocol.Property][3]int{}
	EachRandom(first, cases, func(seed int, p *protocol.Protocol) {
		want := Search(ctx, p, engine.Limits{States: 30000})
		if !want.Complete {
			return
		}
		j := newJudge(p)
		pr := prove(j, unlimited(ctx))
		got := map[protocol.Property]engine.Answer{}
		if pr.monotone != nil {
			pr.races()
		}
		if pr.differs == "" {
			got = pr.result().Properties
			applied++
		} else {
			j.scout(pr.found)
			keep(got, pr.found)
		}
		for _, prop := range protocol.Properties {
			g, w := got[prop], want.Properties[prop]
			n := conclusive[prop]
			n[g.Verdict]++
			conclusive[prop] = n
			if g.Verdict == engine.Violated {
				if _, yes := j.shows(g.Trace, prop); !yes {
					t.Errorf("seed %d: the trace does not show %s: %v\n%s", seed, prop, g.Trace.Steps, Dump(p))
				}
			}
			if g.Verdict != engine.Inconclusive && w.Verdict != engine.Inconclusive && g.Verdict != w.Verdict {
				t.Fatalf("seed %d: %s is %s by proof (%s), %s by search\n%s\n%v", seed, prop, g.Verdict, pr.differs, w.Verdict, Dump(p), w.Trace)
			}
		}
	})
	t.Logf("%d of %d proved; inconclusive, holds, violated: %v", applied, cases, conclusive)
	if applied < cases/5 {
		t.Errorf("the proof applied to only %d of %d", applied, cases)
	}
}

// seeds lets a longer run be asked for: SEEDS=first,count.
func seeds(first, count int) (int, int) {
	if s := os.Getenv("SEEDS"); s != "" {
		fmt.Sscanf(s, "%d,%d", &first, &count)
	}
	return first, count
}
