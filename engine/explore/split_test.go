package explore

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// split gives every thread a class of its own.
func split(p *protocol.Protocol) *protocol.Protocol {
	q := *p
	q.Classes = nil
	own := func(as []protocol.Access, t int) []protocol.Access {
		var out []protocol.Access
		for _, a := range as {
			if len(a.Elements) > 1 {
				a.Elements = a.Elements[t : t+1]
			}
			out = append(out, a)
		}
		return out
	}
	for _, c := range p.Classes {
		for t := range c.Count {
			d := protocol.Class{Name: c.Name, CTA: c.CTA, Count: 1}
			for _, o := range c.Ops {
				o.Access = own(o.Access, t)
				d.Ops = append(d.Ops, o)
			}
			for _, b := range c.Blocks {
				d.Blocks = append(d.Blocks, own(b, t))
			}
			q.Classes = append(q.Classes, d)
		}
	}
	return &q
}

// sameIntent reports whether the canonical execution of the split protocol gives every wait and arrival the phase it
// has in the counted one: only then do Phase and Attribution mean the same.
func sameIntent(p, q *protocol.Protocol) bool {
	x, y := protocol.Canonical(p), protocol.Canonical(q)
	d := 0
	for c := range p.Classes {
		for range p.Classes[c].Count {
			for l := range p.Classes[c].Ops {
				if x.Wait[c][l] != y.Wait[d][l] {
					return false
				}
				for i, s := range x.Credit[c][l] {
					if s != y.Credit[d][l][i] || s.First != s.Last {
						return false
					}
				}
			}
			d++
		}
	}
	return true
}

// TestCounting: counting threads changes no verdict. Drain is left out where it counts, as it waits for the class.
func TestCounting(t *testing.T) {
	compared, intents := 0, 0
	EachRandom(20000, 1200, func(seed int, p *protocol.Protocol) {
		for _, c := range p.Classes {
			for _, o := range c.Ops {
				if o.Kind == protocol.Drain && c.Count > 1 {
					return
				}
			}
		}
		q := split(p)
		x := Search(context.Background(), p, engine.Limits{States: 4000})
		y := Search(context.Background(), q, engine.Limits{States: 4000})
		if !x.Complete || !y.Complete {
			return
		}
		compared++
		same := sameIntent(p, q)
		if same {
			intents++
		}
		for _, prop := range protocol.Properties {
			if (prop == protocol.Phase || prop == protocol.Attribution) && !same {
				continue
			}
			a, b := x.Properties[prop].Verdict, y.Properties[prop].Verdict
			if a != b && a != engine.Inconclusive && b != engine.Inconclusive {
				t.Fatalf("seed %d: %s is %s counted and %s with every thread apart\n%s", seed, prop, a, b, Dump(p))
			}
		}
	})
	t.Logf("%d compared, %d of them in Phase and Attribution too", compared, intents)
	if compared < 500 || intents < 200 {
		t.Error("too few comparable protocols")
	}
}
