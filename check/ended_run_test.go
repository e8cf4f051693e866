package check

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/lower"
)

// TestEndedRunWaitsForNobody: a run that is interrupted reports what was checked until then, though a file's check does not end.
func TestEndedRunWaitsForNobody(t *testing.T) {
	const kernel = "import cutlass\nimport cutlass.cute as cute\n\n\n@cute.kernel\ndef k():\n    cute.arch.sync_threads()\n"
	tree := treeOf(t, map[string]string{"a.py": kernel, "b.py": kernel, "c.py": kernel})
	ctx, interrupt := context.WithCancel(context.Background())
	release := make(chan bool)
	defer close(release)
	seen := 0
	start := time.Now()
	r, err := Run(ctx, Options{Tree: tree, Engine: Explore, Jobs: 1, Shards: 1, Lowered: func(*lower.Kernel) {
		if seen++; seen == 2 {
			interrupt()
			<-release
		}
	}})
	if err == nil || time.Since(start) > 20*patience || !slices.Equal(r.Left, []string{"b.py", "c.py"}) || len(r.Kernels) != 1 || r.Kernels[0].Path != "a.py" {
		t.Errorf("error %v after %v, left %v, kernels %+v", err, time.Since(start), r.Left, r.Kernels)
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != "FP907" {
		t.Errorf("findings %+v", r.Findings)
	}
}
