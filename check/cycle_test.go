package check

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/spin"
)

// TestCycle: a hang is told with what goes on for ever, whoever found it.
func TestCycle(t *testing.T) {
	tree := openTestdata(t)
	for _, c := range []struct {
		file    string
		set     map[string]string
		engines []string
		want    []string
	}{
		{"counter/broken_target.py", map[string]string{"PRODUCERS": "2", "THREADS": "32"}, []string{Explore, Spin}, []string{"thread 0 of CTA 2: poll of done: value 1, waits for >= 2"}},
		{"smoother/broken_hardcoded_phase.py", map[string]string{"THREADS": "2", "ITERS": "2"}, []string{Explore}, []string{"threads 0-1 of CTA 1: poll of gate: in phase 2, waits for its end"}},
		{"smoother/right.py", map[string]string{"THREADS": "2", "ITERS": "2"}, []string{Explore}, nil},
	} {
		for _, name := range c.engines {
			t.Run(c.file+" by "+name, func(t *testing.T) {
				if _, _, ok := spin.Available(); name == Spin && !ok {
					t.Fatal("spin and a C compiler are needed (make test installs them)")
				}
				kernel := smallKernel(t, tree, &kernelFile{name: c.file, small: c.set})
				lim := engine.Limits{Time: 10 * time.Minute}
				d, err := installed().decide(context.Background(), &Options{Engine: name, Limits: lim}, newBudget(lim, 1), kernel.Instances, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for prop, a := range d.answers {
					if a.outcome == nil {
						continue
					}
					for _, s := range (&kernelResult{}).cycle(prop, a) {
						got = append(got, s.Actor+": "+s.Text)
						if s.Line == 0 {
							t.Errorf("%s has no line", s.Text)
						}
					}
				}
				for _, w := range c.want {
					if !slices.Contains(got, w) {
						t.Errorf("%q lacks %q", got, w)
					}
				}
				if c.want == nil && got != nil {
					t.Errorf("%q, want none", got)
				}
			})
		}
	}
}
