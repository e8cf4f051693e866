package check

import (
	"context"
	"slices"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestNoStepNeedless: no step, and no thread of a step, of a counterexample of a kernel of testdata can be left out with the
// others as they are.
func TestNoStepNeedless(t *testing.T) {
	tree := openTestdata(t)
	for _, k := range loweredFiles(t, tree) {
		if k.verdict != "violated" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			k.small = nil // as it is launched
			d, err := installed().decide(context.Background(), &Options{Engine: Explore}, newBudget(engine.Limits{}, 1), smallKernel(t, tree, &k).Instances, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			shown := 0
			for prop, a := range d.answers {
				if a.trace == nil {
					continue
				}
				shown++
				for i, step := range a.trace.Steps {
					if a.showsWithout(prop, i, step.N) || step.N > 1 && a.showsWithout(prop, i, 1) {
						t.Errorf("%s: step %d is not needed", prop, i)
					}
				}
			}
			if shown == 0 {
				t.Error("no counterexample")
			}
		})
	}
}

// showsWithout reports whether a trace with n threads less in step i shows the same.
func (a *answer) showsWithout(prop protocol.Property, i, n int) bool {
	fewer := slices.Clone(a.trace.Steps)
	if fewer[i].N -= n; fewer[i].N == 0 {
		fewer = slices.Delete(fewer, i, i+1)
	}
	_, err := replay.Run(a.instance, &engine.Trace{Steps: fewer, Pair: a.trace.Pair}, prop)
	return err == nil
}
