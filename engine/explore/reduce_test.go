package explore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// needless finds a step of a trace that can be dropped, or do with a thread less, such that what is then still possible of
// the steps after it shows the violation too. It asks the independent replayer only.
func needless(p *protocol.Protocol, t *engine.Trace, prop protocol.Property) (at int, kept []engine.Step, yes bool) {
	shows := func(steps []engine.Step) bool {
		_, err := replay.Run(p, &engine.Trace{Steps: steps, Pair: t.Pair}, prop)
		return err == nil
	}
	for i, step := range t.Steps {
		for _, n := range []int{0, step.N - 1} {
			kept := slices.Clone(t.Steps[:i])
			if n > 0 {
				kept = append(kept, engine.Step{Class: step.Class, Op: step.Op, N: n, Completion: step.Completion})
			}
			if shows(append(slices.Clone(kept), t.Steps[i+1:]...)) {
				return i, append(slices.Clone(kept), t.Steps[i+1:]...), true
			}
			for _, next := range t.Steps[i+1:] {
				for ; next.N > 0; next.N-- {
					longer := append(slices.Clone(kept), next)
					if _, err := replay.Walk(p, longer); err == nil {
						kept = longer
						break
					}
				}
			}
			if shows(kept) {
				return i, kept, true
			}
		}
	}
	return -1, nil, false
}

// TestNothingNeedless: of the trace of a violation, found by search or by proof, no step and no thread can be dropped.
func TestNothingNeedless(t *testing.T) {
	tried := map[protocol.Property]int{}
	check := func(seed int, how string, p *protocol.Protocol, r *engine.Result) {
		for prop, a := range r.Properties {
			if a.Verdict != engine.Violated {
				continue
			}
			tried[prop]++
			if i, fewer, yes := needless(p, a.Trace, prop); yes {
				t.Errorf("seed %d: %s by %s: step %d of %v is not needed: %v\n%s", seed, prop, how, i, a.Trace.Steps, fewer, random.Print(p))
			}
		}
	}
	explore.EachRandom(0, 400, func(seed int, p *protocol.Protocol) {
		check(seed, "search", p, explore.Search(context.Background(), p, engine.Limits{States: 5000}))
		r, _ := explore.Prove(context.Background(), p, engine.Limits{})
		check(seed, "proof", p, r)
	})
	for _, prop := range protocol.Properties {
		if tried[prop] < 10 {
			t.Errorf("only %d violations of %s", tried[prop], prop)
		}
	}
	t.Log(tried)
}
