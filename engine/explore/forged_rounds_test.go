package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/protocol"
)

// apartFrom is a ring with a class that goes round with nobody.
func apartFrom(n int) *protocol.Protocol {
	p := ring(2, n, 1)
	p.Mbars = append(p.Mbars, mb("own", 1))
	var ops []protocol.Op
	for i := range n {
		ops = append(ops, arrive(len(p.Mbars)-1), wait(len(p.Mbars)-1, i%2))
	}
	class(p, 0, 1, ops...)
	return rounds(p, n, 4)
}

// waiting is a ring behind which a class without loops waits.
func waiting(n int) *protocol.Protocol {
	p := rounds(ring(2, n, 1), n, 4)
	p.Mbars = append(p.Mbars, mb("last", 1))
	consumer := &p.Classes[1]
	consumer.Ops = append(consumer.Ops, arrive(len(p.Mbars)-1))
	consumer.Blocks = append(consumer.Blocks, nil)
	class(p, 0, 1, wait(len(p.Mbars)-1, 0))
	return p
}

// TestForgedRounds: of what shows that an instance is like all with more rounds, nothing can be missing or another.
func TestForgedRounds(t *testing.T) {
	alone, fixed := 0, 0
	for name, at := range map[string]func(n int) *protocol.Protocol{
		"ring": func(n int) *protocol.Protocol { return rounds(ring(2, n, 3), n, 4) }, "apart": apartFrom, "waiting": waiting,
		"smoother": func(n int) *protocol.Protocol { return rounds(smoother(2, n, alternate), n, 2) },
	} {
		f := certifying(t, of(at))
		certify, seen := f.Certify, 0
		f.Certify = func(p *protocol.Protocol, r *engine.Result, c *certificate.Certificate) error {
			if len(c.Rounds) == 0 {
				return certify(p, r, c)
			}
			seen++
			forge := func(what string, change func(r *certificate.Rounds)) {
				t.Helper()
				forged := *c
				forged.Rounds = slices.Clone(c.Rounds)
				change(&forged.Rounds[0])
				if open := forged.Check(p, []protocol.Property{protocol.Deadlock}); open[protocol.Deadlock] == nil {
					t.Errorf("%s: %s, and it is still shown", name, what)
				}
			}
			forge("there are no cuts", func(r *certificate.Rounds) { r.Play = nil })
			for i, steps := range c.Rounds[0].Play {
				if len(steps) > 0 {
					forge("a step to a cut is left out", func(r *certificate.Rounds) {
						r.Play = slices.Clone(r.Play)
						r.Play[i] = steps[1:]
					})
				}
			}
			forge("the period is another", func(r *certificate.Rounds) { r.Period++ })
			forge("the period is less", func(r *certificate.Rounds) { r.Period /= 2 })
			for i := range c.Rounds[0].Alone {
				alone++
				forge("nobody shows that a class goes round on its own", func(r *certificate.Rounds) { r.Alone = slices.Delete(slices.Clone(r.Alone), i, i+1) })
			}
			for i, list := range c.Rounds[0].Fixed {
				if len(list) > 0 {
					fixed++
					forge("a class stands elsewhere", func(r *certificate.Rounds) {
						r.Fixed = slices.Clone(r.Fixed)
						r.Fixed[i] = []int{list[0] + 1}
					})
				}
			}
			return certify(p, r, c)
		}
		if w := Every(context.Background(), f, engine.Limits{}); w.Reason != "" || seen == 0 {
			t.Errorf("%s: %q, %d certificates", name, w.Reason, seen)
		}
	}
	if alone == 0 || fixed == 0 {
		t.Errorf("%d classes on their own, %d without loops", alone, fixed)
	}
}

// TestRoundsWithoutCondition: where someone may get ahead of others without a bound, the bounds of one instance are not those of
// all, though they are right and there is a way through the cuts.
func TestRoundsWithoutCondition(t *testing.T) {
	p := one(mb("full", 1), mb("empty", 1), mb("sum", 8))
	const n = 16
	var add, write, read []protocol.Op
	for i := range n {
		add = append(add, arrive(2))
		write = append(write, wait(1, 1-i%2), arrive(2), arrive(0))
		read = append(read, wait(0, i%2), arrive(1))
	}
	class(p, 0, 1, add...)
	class(p, 0, 1, write...)
	class(p, 0, 1, read...)
	rounds(p, n, 8)
	j := newJudge(p)
	j.record = &certificate.Certificate{}
	pr := prove(j, unlimited(context.Background()), span{"n", 8})
	if pr.beyond == "" || len(pr.horizons) != 1 {
		t.Fatalf("proved: %q", pr.beyond)
	}
	// What a proof that did not look would say.
	pr = prove(j, unlimited(context.Background()))
	h, err := pr.lay(span{"n", 8})
	if err != nil || pr.differs != "" {
		t.Fatal(err, pr.differs)
	}
	h.record.Fixed = h.fixed
	claimed := []protocol.Property{protocol.Deadlock}
	if open := (&certificate.Certificate{Frozen: pr.witness.Frozen}).Check(p, claimed); len(open) > 0 {
		t.Fatal(open)
	}
	forged := &certificate.Certificate{Frozen: pr.witness.Frozen, Rounds: []certificate.Rounds{*h.record}}
	if open := forged.Check(p, claimed); len(open) == 0 {
		t.Error("it is shown for more rounds")
	}
}
