package explore_test

import (
	"context"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// TestReplay: the independent replayer, which moves individual threads, accepts every trace: of the search, and of
// the proof at launch size.
func TestReplay(t *testing.T) {
	replayed := 0
	check := func(name string, p *protocol.Protocol, r *engine.Result) {
		for prop, a := range r.Properties {
			if a.Verdict != engine.Violated {
				continue
			}
			replayed++
			if _, err := replay.Run(p, a.Trace, prop); err != nil {
				t.Fatalf("%s: %s: %v\n%v %v\n%s", name, prop, err, a.Trace.Steps, a.Trace.Pair, random.Print(p))
			}
		}
	}
	explore.EachRandom(0, 3000, func(seed int, p *protocol.Protocol) {
		check("search", p, explore.Search(context.Background(), p, engine.Limits{States: 5000}))
		r, _ := explore.Prove(context.Background(), p, engine.Limits{})
		check("proof", p, r)
	})
	for _, p := range explore.Broken() {
		check(p.Kernel, p, explore.Check(context.Background(), p, engine.Limits{}))
	}
	t.Logf("%d traces replayed", replayed)
}
