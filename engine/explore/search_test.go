package explore

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

// expect compares the verdicts of a result with the properties that should be violated; all others must hold. It
// replays every trace.
func expect(t *testing.T, p *protocol.Protocol, r *engine.Result, violated ...protocol.Property) {
	t.Helper()
	want := map[protocol.Property]bool{}
	for _, prop := range violated {
		want[prop] = true
	}
	for _, prop := range protocol.Properties {
		a := r.Properties[prop]
		if want[prop] != (a.Verdict == engine.Violated) || a.Verdict == engine.Inconclusive {
			t.Errorf("%s: %s is %s (%s)", p.Kernel, prop, a.Verdict, a.Reason)
		}
		if a.Verdict == engine.Violated {
			if _, yes := newJudge(p).shows(a.Trace, prop); !yes {
				t.Errorf("%s: the trace for %s does not show it: %v", p.Kernel, prop, a.Trace.Steps)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		p        *protocol.Protocol
		violated []protocol.Property
	}{
		{smoother(4, 3, alternate), []protocol.Property{protocol.Attribution}},
		{smoother(1, 3, alternate), nil},
		{smoother(4, 3, zero), []protocol.Property{protocol.Deadlock, protocol.Phase, protocol.Attribution}},
		{ring(2, 5, 3), nil},
		{counter(3, 3), nil},
		{handoff(3, 3), []protocol.Property{}},
	} {
		r := Search(ctx, c.p, engine.Limits{})
		t.Logf("%s: %d states, depth %d, %s", c.p.Kernel, r.States, r.Depth, r.Elapsed)
		expect(t, c.p, r, c.violated...)
	}
}
