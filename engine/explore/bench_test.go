package explore

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/protocol"
)

func BenchmarkSearch(b *testing.B) {
	p := smoother(4, 3, zero)
	b.ReportAllocs()
	for b.Loop() {
		r := Search(context.Background(), p, engine.Limits{})
		b.ReportMetric(float64(r.States)/r.Elapsed.Seconds(), "states/s")
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *protocol.Protocol
	}{
		{"smoother 2x128x30", smoother(128, 30, alternate)},
		{"hard-coded 2x128x30", smoother(128, 30, zero)},
		{"ring 4 stages 64 trips", ring(4, 64, 256)},
		{"counter 1024x64", counter(1024, 64)},
		{"handoff 128x64", handoff(128, 64)},
		{"cluster copy 128x30", clusterCopy(128, 30)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Check(context.Background(), c.p, engine.Limits{})
			}
		})
	}
}

// TestSearchAllocates nothing a state: growing the store is all, so the allocations of a search are logarithmic.
func TestSearchAllocates(t *testing.T) {
	p := smoother(4, 3, alternate)
	j := newJudge(p)
	known := map[protocol.Property]engine.Answer{protocol.Attribution: {Verdict: engine.Violated}}
	var states int
	n := testing.AllocsPerRun(3, func() {
		states = newSearch(clockFor(context.Background(), engine.Limits{}), j, engine.Limits{}, known).run().States
	})
	if n > 300 || states < 4000 {
		t.Errorf("%v allocations for %d states", n, states)
	}
}
