package explore

import (
	"context"
	"fmt"
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
