package explore

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// proved runs the reduction alone and fails when it does not apply.
func proved(t *testing.T, p *protocol.Protocol) *engine.Result {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	pr := prove(newJudge(p), unlimited(context.Background()))
	if pr.differs == "" {
		pr.races()
	}
	if pr.differs != "" {
		t.Fatalf("%s: not proved: %s", p.Kernel, pr.differs)
	}
	return pr.result()
}

func TestLaunchSizes(t *testing.T) {
	for _, c := range []struct {
		p        *protocol.Protocol
		violated []protocol.Property
	}{
		{smoother(128, 30, alternate), []protocol.Property{protocol.Attribution}},
		{ring(4, 40, 128), nil},
		{counter(1024, 40), nil},
		{handoff(128, 40), nil},
	} {
		start := time.Now()
		r := proved(t, c.p)
		t.Logf("%s: %s, %s", c.p.Kernel, r.Properties[protocol.Deadlock].Reason, time.Since(start))
		expect(t, c.p, r, c.violated...)
	}
}

// TestHardCodedPhase: the wait of every iteration is for parity 0.
func TestHardCodedPhase(t *testing.T) {
	p := smoother(128, 30, zero)
	r := Check(context.Background(), p, engine.Limits{})
	t.Log(r.Elapsed, r.States)
	for _, prop := range []protocol.Property{protocol.Deadlock, protocol.Phase} {
		a := r.Properties[prop]
		if a.Verdict != engine.Violated {
			t.Errorf("%s: %s (%s)", prop, a.Verdict, a.Reason)
			continue
		}
		if _, yes := newJudge(p).shows(a.Trace, prop); !yes {
			t.Errorf("the trace does not show %s", prop)
		}
		t.Log(prop, a.Trace.Steps)
	}
}
