package explore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

func unlimited(ctx context.Context) *meter {
	return newMeter(ctx, engine.Limits{Proof: 1 << 30}, time.Now().Add(time.Hour))
}

// TestProofStops: a proof that may do less work than it needs says nothing, and says so; a clock has no part in that.
func TestProofStops(t *testing.T) {
	p := ring(4, 40, 128)
	whole := prove(newJudge(p), unlimited(context.Background()))
	if whole.differs != "" {
		t.Fatal(whole.differs)
	}
	for _, states := range []int{1, whole.states() / 2} {
		m := newMeter(context.Background(), engine.Limits{Proof: states}, time.Now().Add(time.Hour))
		pr := prove(newJudge(p), m)
		pr.late()
		if !strings.HasPrefix(pr.differs, "stopped by the work of "+number(states)+" states") {
			t.Errorf("%d states: %q", states, pr.differs)
		}
	}
	r := Check(context.Background(), p, engine.Limits{States: 2})
	if got := r.Properties[protocol.Deadlock]; got.Verdict != engine.Inconclusive {
		t.Errorf("with 2 states: %s (%s)", got.Verdict, got.Reason)
	}
}
