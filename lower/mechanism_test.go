package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

// TestMechanisms: what a kernel synchronizes with is read off its text and that of the functions it mentions.
func TestMechanisms(t *testing.T) {
	const helpers = `
import cutlass.cute as cute
from cutlass import pipeline
def raw(bar): cute.arch.mbarrier_wait(bar, 0)
def more(bar): raw(bar)
def unused(): cute.arch.cluster_wait()
`
	tests := map[string]string{
		"cute.arch.sync_threads()":                              "",
		"cute.arch.barrier(barrier_id=2, number_of_threads=64)": dialect.NamedBarriers,
		"more(bar)":            dialect.Mbarriers,
		"partial(more, bar)()": dialect.Mbarriers,
		"self.p = pipeline.PipelineTmaAsync.create(num_stages=2)":       dialect.Pipelines,
		"prod, cons = pipe.make_participants()":                         dialect.Pipelines,
		"pipeline.PipelineState(2, 0, 0, 0)":                            "",
		"cute.arch.cluster_arrive(); cute.arch.mbarrier_arrive(bar, 1)": dialect.Mbarriers + " " + dialect.Clusters,
	}
	for body, want := range tests {
		text := helpers + "@cute.kernel\ndef kernel(bar, pipe):\n    cute.arch.sync_threads()\n    " + body + "\n"
		f := cutedsl.Read(&source.File{Name: "k.py", Data: []byte(text)})
		kernels := Kernels(f, dialect.New(program.CuTe), Options{})
		if len(kernels) != 1 {
			t.Fatalf("%s: %d kernels", body, len(kernels))
		}
		if got := strings.Join(kernels[0].Mechanisms, " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
