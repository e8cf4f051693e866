package explore

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// signals is a protocol of classes that each raise flags of their own and poll those of others for exact values, in the
// order of rounds, with a fault now and then: as barriers among GPUs do.
func signals(r *rand.Rand) *protocol.Protocol {
	p := &protocol.Protocol{Kernel: "signals", CTAs: 1 + r.IntN(2)}
	n, slots, rounds := 2+r.IntN(2), 1+r.IntN(2), 1+r.IntN(4)
	for range n * slots {
		p.Flags = append(p.Flags, protocol.Flag{Name: "f", Initial: r.IntN(12) / 10})
	}
	for cta := range p.CTAs {
		p.Named = append(p.Named, protocol.Named{ID: 0, CTA: cta})
	}
	for c := range n {
		cta := r.IntN(p.CTAs)
		var ops []protocol.Op
		for k := 1; k <= rounds; k++ {
			slot := k % slots
			ops = append(ops, protocol.Op{Kind: protocol.FlagStore, Object: c*slots + slot, Count: k})
			for d := range n {
				if d != c && r.IntN(4) > 0 {
					ops = append(ops, protocol.Op{Kind: protocol.Spin, Object: d*slots + slot, Count: k, Compare: []string{"==", "==", ">="}[r.IntN(3)]})
				}
			}
			if r.IntN(2) == 0 {
				ops = append(ops, protocol.Op{Kind: protocol.NamedSync, Object: cta})
			}
		}
		if r.IntN(3) == 0 {
			i := r.IntN(len(ops))
			ops = append(ops[:i], ops[i+1:]...)
		}
		for range 1 + r.IntN(5)/4 { // now and then a second block of the same GPU, which only polls
			p.Classes = append(p.Classes, protocol.Class{Name: "c", CTA: cta, Count: 1 + r.IntN(5)/4, Ops: ops, Blocks: make([][]protocol.Access, len(ops)+1)})
			var polls []protocol.Op
			for _, o := range ops {
				if o.Kind != protocol.FlagStore {
					polls = append(polls, o)
				}
			}
			ops = polls
		}
	}
	return p
}

// TestOverrun compares the proof with a search where flags are polled for exact values.
func TestOverrun(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	proved, hangs, left := 0, 0, 0
	for i := range 4000 {
		p := signals(r)
		base := Exhaust(context.Background(), p, engine.Limits{States: 4000})
		if !base.Complete {
			continue
		}
		j := newJudge(p)
		pr := prove(j, unlimited(context.Background()))
		var got *engine.Result
		switch {
		case pr.differs == "":
			pr.races()
			got = pr.result()
			proved++
		default:
			got = &engine.Result{Properties: pr.found}
			left++
		}
		for prop, a := range got.Properties {
			want := base.Properties[prop].Verdict
			if a.Verdict != engine.Inconclusive && a.Verdict != want {
				t.Fatalf("protocol %d: the proof says %s of %s, a search %s\n%s", i, a.Verdict, prop, want, p)
			}
			if a.Verdict == engine.Violated && pr.differs != "" {
				hangs++
			}
		}
	}
	if proved < 1000 || hangs < 100 {
		t.Errorf("%d proved, %d overruns shown of %d not proved: too few to compare", proved, hangs, left)
	}
	t.Logf("%d proved, %d overruns shown of %d not proved", proved, hangs, left)
}

// TestOverrunWaived: without the condition, the comparison would find wrong answers.
func TestOverrunWaived(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		p := signals(r)
		base := Exhaust(context.Background(), p, engine.Limits{States: 4000})
		if !base.Complete {
			continue
		}
		j := newJudge(p)
		j.waived = notOverrun
		pr := prove(j, unlimited(context.Background()))
		if pr.differs != "" {
			continue
		}
		pr.races()
		got := pr.result()
		for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Livelock} {
			if base.Properties[prop].Verdict == engine.Violated && got.Properties[prop].Verdict == engine.Holds {
				return
			}
		}
	}
	t.Error("no protocol needs the condition")
}
