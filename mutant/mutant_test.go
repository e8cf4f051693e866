package mutant

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

const kernelHead = `import cutlass
import cutlass.cute as cute
from cutlass import Int32, pipeline

class Ids:
    load = 3

@cute.kernel
def kernel(bar, pipe, state, n, role):
    index = Int32(0)
    phase = Int32(1)
`

// TestFaults: which faults an operator finds in one statement, and what the text becomes.
func TestFaults(t *testing.T) {
	tests := []struct{ body, operator, want string }{
		{"cute.arch.mbarrier_arrive(bar)", "drop-arrive", "pass"},
		{"pipe.producer_commit(state)", "drop-commit", "pass"},
		{"handle.release()", "drop-release", "pass"},
		{"pipe.consumer_wait(state, token)", "drop-wait", "pass"},
		{"while not cute.arch.mbarrier_try_wait(bar, phase): pass", "drop-wait", "pass"},
		{"cute.arch.sync_threads()", "drop-barrier", "pass"},
		{"cute.arch.fence_proxy(\"async\")", "drop-fence", "pass"},
		{"pipe.producer_tail(state)", "drop-tail", "pass"},
		{"s = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 2)", "flip-start-phase", "s = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 2)"},
		{"s = pipeline.PipelineState(2, 0, 0, 1)", "flip-start-phase", "s = pipeline.PipelineState(2, 0, 0, (1) ^ 1)"},
		{"cute.arch.mbarrier_wait(bar, (n // 2) & 1)", "flip-start-phase", "cute.arch.mbarrier_wait(bar, ((n // 2) & 1) ^ 1)"},
		{"for i in range(n): cute.arch.mbarrier_wait(bar, phase)", "literal-phase", "for i in range(n): cute.arch.mbarrier_wait(bar, 0)"},
		{"cute.arch.mbarrier_wait(bar, phase)", "literal-phase", ""}, // right for a wait that runs once
		{"state.advance()", "advance-twice", "state.advance(); state.advance()"},
		{"phase ^= 1", "advance-never", "pass"},
		{"phase = 1 - phase", "advance-never", "pass"},
		{"cute.arch.mbarrier_init(bar, 32)", "count-more", "cute.arch.mbarrier_init(bar, (32) + 1)"},
		{"cute.arch.barrier(barrier_id=1, number_of_threads=64)", "count-less", "cute.arch.barrier(barrier_id=1, number_of_threads=(64) - 32)"},
		{"g = pipeline.CooperativeGroup(pipeline.Agent.Thread)", "count-more", "g = pipeline.CooperativeGroup(pipeline.Agent.Thread, 2)"},
		{"g = pipeline.CooperativeGroup(pipeline.Agent.Thread, 4)", "count-less", "g = pipeline.CooperativeGroup(pipeline.Agent.Thread, (4) - 1)"},
		{"cute.arch.barrier(barrier_id=1, number_of_threads=64); cute.arch.barrier(barrier_id=Ids.load, number_of_threads=64)", "equal-ids", "Ids.load is 1"},
		{"if role == 0:\n        for i in range(n): state.advance()", "shorter-loop", "for i in range((n) - 1): state.advance()"},
		{"for i in range(n): state.advance()", "shorter-loop", ""}, // every thread goes round as often
		{"with cute.arch.elect_one(): pipe.tail()", "no-elect", "if True: pipe.tail()"},
		{"pipe.consumer_wait(state)\n    pipe.producer_acquire(state)", "swap-waits", "pipe.producer_acquire(state)\n    pipe.consumer_wait(state)"},
		{"pipe.consumer_wait(state)\n    cute.arch.sync_threads()\n    pipe.producer_acquire(state)", "swap-waits", ""},
	}
	for _, test := range tests {
		text := kernelHead + "    " + test.body + "\n"
		f := cutedslFile(t, text)
		var got []string
		for _, fault := range Faults(f, dialect.New(program.CuTe), []finding.Location{{Path: "k.py", Line: 1, EndLine: 100}}) {
			if fault.Operator != test.operator || fault.Line < 12 && test.operator != "equal-ids" {
				continue
			}
			changed := string(apply([]byte(text), fault.edits))
			if strings.Count(changed, "\n") != strings.Count(text, "\n") {
				t.Errorf("%s: %s moves lines:\n%s", test.body, fault.Operator, changed)
			}
			if test.operator == "equal-ids" && strings.Contains(changed, "load = 1") {
				changed = kernelHead + "    Ids.load is 1\n"
			}
			got = append(got, strings.TrimSpace(strings.TrimPrefix(changed, kernelHead)))
		}
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s makes %q, want nothing", test.body, test.operator, got)
		case test.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, test.want) }):
			t.Errorf("%s: %s makes %q, want %q", test.body, test.operator, got, test.want)
		}
	}
}

func cutedslFile(t *testing.T, text string) *program.File {
	t.Helper()
	f, err := check.Read(&source.File{Name: "k.py", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFaultsKeepLines: a statement of several lines leaves as many behind.
func TestFaultsKeepLines(t *testing.T) {
	text := kernelHead + "    pipe.consumer_wait(\n        state,\n    )\n    cute.arch.sync_threads()\n"
	for _, f := range Faults(cutedslFile(t, text), dialect.New(program.CuTe), []finding.Location{{Path: "k.py", Line: 1, EndLine: 100}}) {
		if got := string(apply([]byte(text), f.edits)); strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%s at line %d moves lines:\n%s", f.Operator, f.Line, got)
		}
	}
}

// TestSample tries a fixed sample of faults. The survivors are those of testdata/survivors.txt, each with its reason: a
// survivor that is not there is a property that got lost, one that is there and is killed now must be taken out.
func TestSample(t *testing.T) {
	tree, err := source.Open("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	opt := Options{Check: check.Options{Tree: tree, Paths: sampled, Engine: check.Explore, Shard: 1, Shards: 1}, Sample: 10, Seed: 1}
	files, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	known := survivors(t)
	tried := map[string]bool{}
	for _, f := range files {
		if f.Skipped != "" {
			t.Errorf("%s: not tried: %s", f.Path, f.Skipped)
		}
		for _, r := range f.Results {
			key := fmt.Sprintf("%s:%d %s", f.Path, r.Line, r.Operator)
			tried[key] = true
			switch {
			case r.Fate == Survived && !known[key]:
				t.Errorf("%s survives: %s (%s)", key, r.What, r.Detail)
			case r.Fate != Survived && known[key]:
				t.Errorf("%s is %s now; take it out of testdata/survivors.txt", key, r.Fate)
			}
		}
	}
	if len(files) != len(sampled) {
		t.Errorf("%d files, want %d", len(files), len(sampled))
	}
	all := Count(files).All
	if all.Killed < 3*all.Survived {
		t.Errorf("%d killed, %d survived", all.Killed, all.Survived)
	}
}

var sampled = []string{"circle/right.py", "circle/right.cu", "counter/right.py", "ring/right.py", "ring/right.cu", "smoother/right.py",
	"handoff/right.py", "mainloop/right.py", "norm/right.py"}

// survivors reads "FILE:LINE OPERATOR: reason" lines.
func survivors(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/survivors.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, reason, ok := strings.Cut(line, ": ")
		if !ok || reason == "" {
			t.Errorf("testdata/survivors.txt: %q: want FILE:LINE OPERATOR: reason", line)
		}
		out[key] = true
	}
	return out
}
