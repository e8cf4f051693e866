package explore

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// A trace of an arrival that goes astray has no other before it that does.
func TestFirstAstray(t *testing.T) {
	tried := 0
	EachRandom(0, 2000, func(seed int, p *protocol.Protocol) {
		r, _ := Prove(context.Background(), p, engine.Limits{})
		a := r.Properties[protocol.Attribution]
		if a.Verdict != engine.Violated {
			return
		}
		tried++
		j := newJudge(p)
		s, last := j.m.Start(), len(a.Trace.Steps)-1
		for i, step := range a.Trace.Steps[:last] {
			for n, all := 0, step.N; n < all; n++ {
				step.N = 1
				j.play(s, step)
				if _, bad, _ := j.misattributed(step.Class, step.Op); bad {
					t.Errorf("seed %d: step %d of %v goes astray\n%s", seed, i, a.Trace.Steps, random.Print(p))
				}
			}
		}
	})
	if tried < 100 {
		t.Errorf("%d tried", tried)
	}
}
