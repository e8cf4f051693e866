package explore

import (
	"context"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// The checker refuses what the engine would certify if a part of it were wrong.

// TestCertificateOfWhatIsViolated claims every property with every certificate: none shows one that is violated.
func TestCertificateOfWhatIsViolated(t *testing.T) {
	first, count := seeds(1, 400)
	violated := 0
	EachRandom(first, count, func(seed int, p *protocol.Protocol) {
		r := Exhaust(context.Background(), p, engine.Limits{States: 4000})
		_, c := Certified(context.Background(), p, engine.Limits{})
		// The states of a search that ends when all is decided are not all there are; here all are asked for.
		open := c.Check(p, protocol.Properties)
		for prop, a := range r.Properties {
			if a.Verdict == engine.Violated {
				violated++
				if open[prop] == nil {
					t.Errorf("%d: %s is violated, and the certificate shows it\n%s", seed, prop, p)
				}
			}
		}
	})
	if violated < count/2 {
		t.Errorf("%d violations", violated)
	}
}

// TestCertificateWithoutCondition: a proof that ignores one of its conditions has no certificate for what it then says.
func TestCertificateWithoutCondition(t *testing.T) {
	for _, b := range breaches() {
		t.Run(string(b.condition), func(t *testing.T) {
			p := one()
			p.Flags, p.Buffers = []protocol.Flag{{Name: "f"}}, []protocol.Buffer{{Name: "s", Elements: 1}}
			b.build(p)
			j := newJudge(p)
			j.waived, j.record = b.condition, &certificate.Certificate{}
			pr := prove(j, unlimited(context.Background()))
			if pr.differs != "" || pr.witness == nil {
				t.Fatalf("not proved: %s", pr.differs)
			}
			pr.races()
			if pr.result().Properties[b.violated].Verdict != engine.Holds {
				t.Fatal("the proof does not say that it holds")
			}
			forged := &certificate.Certificate{Frozen: pr.witness.Frozen}
			if forged.Check(p, []protocol.Property{b.violated})[b.violated] == nil {
				t.Errorf("%s, which is violated, is shown", b.violated)
			}
		})
	}
}

// forgeries are protocols with certificates of both kinds, which the tests below spoil.
func forgeries() []*protocol.Protocol {
	return []*protocol.Protocol{ring(2, 5, 2), handoff(3, 3), counter(2, 3), smoother(2, 3, alternate)}
}

// TestLoweredBounds: the bounds are the least; one that has anyone at an earlier place is refused, and so is one that is missing.
func TestLoweredBounds(t *testing.T) {
	for _, p := range forgeries() {
		c, holds := certified(t, p.Kernel, p, engine.Limits{})
		if c.Frozen == nil || len(holds) == 0 {
			t.Fatalf("%s has no bounds: %s", p.Kernel, prove(newJudge(p), unlimited(context.Background())).differs)
		}
		refused := func(what string, forged *certificate.Frozen) {
			t.Helper()
			for _, prop := range holds {
				if absent := (&certificate.Certificate{}).Check(p, []protocol.Property{prop}); absent[prop] == nil {
					continue
				}
				if open := (&certificate.Certificate{Frozen: forged}).Check(p, []protocol.Property{prop}); open[prop] == nil {
					t.Errorf("%s: %s: %s is still shown", p.Kernel, what, prop)
				}
			}
		}
		for h, b := range c.Frozen.Single {
			spoilt := func(b *certificate.Bound) *certificate.Frozen {
				f := *c.Frozen
				if f.Single = maps.Clone(f.Single); b == nil {
					delete(f.Single, h)
				} else {
					f.Single[h] = *b
				}
				return &f
			}
			refused("a bound left out", spoilt(nil))
			for i := range b.Others {
				for _, by := range []int{1, 2} {
					if b.Others[i] < by {
						continue
					}
					less := certificate.Bound{Others: slices.Clone(b.Others), Own: b.Own}
					less.Others[i] -= by
					refused("a bound lowered", spoilt(&less))
				}
			}
			if b.Own[0] > 0 {
				refused("a thread held before", spoilt(&certificate.Bound{Others: b.Others, Own: []int{b.Own[0] - 1}}))
			}
		}
	}
}

// TestWrongSymmetry: what the run of one warp shows is taken for another one that does something else.
func TestWrongSymmetry(t *testing.T) {
	p := one()
	p.Mbars = []protocol.Mbarrier{mb("a", 1), mb("b", 1)}
	class(p, 0, 1, arrive(0), wait(1, 0))
	class(p, 0, 1, wait(0, 0), arrive(1))
	j := newJudge(p)
	j.record = &certificate.Certificate{}
	pr := prove(j, unlimited(context.Background()))
	x := &exchange{map[int]int{0: 1, 1: 0}, map[int]int{0: 1, 1: 0}, map[int]int{}, nil}
	claimed := []protocol.Property{protocol.Deadlock}
	if open := (&certificate.Certificate{Frozen: pr.witness.Frozen}).Check(p, claimed); len(open) > 0 {
		t.Fatal(open)
	}
	pr.witness.mirror(x, 0, 1, len(p.Classes[0].Blocks))
	if open := (&certificate.Certificate{Frozen: pr.witness.Frozen}).Check(p, claimed); len(open) == 0 {
		t.Error("the bounds of one class stand for another that is no twin of it")
	}
}

// lacking is a set of states but for one.
func lacking(all iter.Seq[protocol.State], gone int) iter.Seq[protocol.State] {
	return func(yield func(protocol.State) bool) {
		i := 0
		for s := range all {
			if i++; i-1 != gone && !yield(s) {
				return
			}
		}
	}
}

// TestStatesLeftOut: a set of which any state is missing is refused: the initial one, one that a step leads to that was not taken, the last.
func TestStatesLeftOut(t *testing.T) {
	for _, p := range append(forgeries(), clusterCopy(2, 2)) {
		j := newJudge(p)
		j.record = &certificate.Certificate{}
		r := newSearch(clockFor(context.Background(), engine.Limits{}), j, engine.Limits{}, nil).run()
		s := j.record.States
		if !r.Complete || s == nil {
			t.Fatalf("%s: %+v", p.Kernel, r)
		}
		claimed := []protocol.Property{protocol.Deadlock}
		if open := j.record.Check(p, claimed); len(open) > 0 {
			t.Fatal(open)
		}
		for gone := 0; gone < s.Count; gone += max(1, s.Count/40) {
			forged := &certificate.Certificate{States: &certificate.States{Count: s.Count - 1, Each: lacking(s.Each, gone)}}
			if len(forged.Check(p, claimed)) == 0 {
				t.Errorf("%s: nothing is missing without state %d of %d", p.Kernel, gone, s.Count)
			}
		}
	}
}

// TestDigestOfStates: a set too large to be listed is known by its number and digest.
func TestDigestOfStates(t *testing.T) {
	p := ring(2, 8, 1)
	for range 3 {
		class(p, 0, 1, slices.Repeat([]protocol.Op{named(protocol.Drain, 0)}, 9)...)
	}
	j := newJudge(p)
	j.record = &certificate.Certificate{}
	r := newSearch(clockFor(context.Background(), engine.Limits{}), j, engine.Limits{}, nil).run()
	s := j.record.States
	if !r.Complete || s == nil || s.Count <= certificate.Listed {
		t.Fatalf("%d states: %+v", r.States, s)
	}
	claimed := []protocol.Property{protocol.Deadlock, protocol.Phase, protocol.Bytes}
	if open := j.record.Check(p, claimed); len(open) > 0 {
		t.Fatal(open)
	}
	for name, forged := range map[string]certificate.States{
		"fewer":   {Count: s.Count - 1, Sum: s.Sum},
		"more":    {Count: s.Count + 1, Sum: s.Sum},
		"another": {Count: s.Count, Sum: certificate.Sum{s.Sum[0] + 1, s.Sum[1]}},
	} {
		if len((&certificate.Certificate{States: &forged}).Check(p, claimed)) == 0 {
			t.Errorf("%s states are taken for these", name)
		}
	}
}
