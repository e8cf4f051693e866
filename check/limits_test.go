package check

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestTimeIsShared: the engines that are asked one after the other about an instance, and about its premise, share its
// time: what one has spent, the next one does not get.
func TestTimeIsShared(t *testing.T) {
	const limit, each = 10 * time.Second, 20 * time.Millisecond
	var asked []string
	spent := time.Duration(0)
	ask := func(name string, lim engine.Limits) {
		asked = append(asked, name)
		if lim.Time <= 0 || lim.Time > limit-spent {
			t.Errorf("%v: %s has %s of %s, of which %s are spent", asked, name, lim.Time, limit, spent)
		}
		time.Sleep(each)
		spent += each
	}
	e := engines{hasSpin: true, replay: replay.Run,
		explore: func(_ context.Context, _ *protocol.Protocol, lim engine.Limits) *engine.Result {
			ask("explore", lim)
			return says("explore", nil)
		},
		spin: func(_ context.Context, _ *protocol.Protocol, _ []protocol.Property, lim engine.Limits) *engine.Result {
			ask("spin", lim)
			return says("spin", nil)
		}}
	p := hanging()
	p.Premise = hanging()
	b := newBudget(engine.Limits{Time: limit}, 2)
	for range 2 { // a configuration has what the one before leaves
		if _, err := e.decide(context.Background(), &Options{Engine: Both}, b, []*protocol.Protocol{p}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 6 || b.spent < 6*each {
		t.Errorf("asked: %v, %s spent", asked, b.spent)
	}
}

// TestLimitsReachTheEngine: every question to an engine, those for further races too, has the user's limits, or less.
func TestLimitsReachTheEngine(t *testing.T) {
	given := engine.Limits{States: 30_000, Memory: 5 << 20, Time: time.Hour}
	asked := 0
	e := installed()
	e.explore = func(ctx context.Context, p *protocol.Protocol, lim engine.Limits) *engine.Result {
		if asked++; lim.States <= 0 || lim.States > given.States || lim.Proof > given.States || lim.Memory != given.Memory || lim.Time <= 0 || lim.Time > given.Time {
			t.Errorf("question %d: %+v", asked, lim)
		}
		return explore.Check(ctx, p, lim)
	}
	_, err := run(t, fixtures(t, "smoother/broken_single_halo.py"), func(o *Options) {
		o.Lowered = func(k *lower.Kernel) {
			d, err := e.decide(context.Background(), o, newBudget(given, 1), k.Instances, k.Rounds, nil)
			if err != nil || d.answers[protocol.Race].verdict != engine.Violated || asked <= len(k.Instances) {
				t.Errorf("%d questions for %d instances, %v", asked, len(k.Instances), err)
			}
		}
	})
	if err != nil || asked == 0 {
		t.Error(asked, err)
	}
}
