package scale

import (
	"testing"

	"github.com/fencepost-dev/fencepost/check/barriers"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// TestKernels: the kernels hold, and are of the size that the paper's are.
func TestKernels(t *testing.T) {
	want := map[string][3]int64{ // dynamic barriers, thousands of commands, threads
		"copies":   {8192, 3670, 320},
		"dataflow": {1001, 7567, 640},
		"rows":     {128, 14024, 1024},
	}
	for _, k := range Kernels() {
		f := ptx.Read(&source.File{Name: k.Name, Data: []byte(k.PTX(k.Rounds))})
		kernel, err := frontend.Translate(f, f.Functions[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := barriers.Verify(kernel, exec.Launch{}, order.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int64{int64(r.Result.Barriers), r.Result.Commands / 1000, int64(r.Result.Threads)}
		if r.Verdict != engine.Holds || got != want[k.Name] {
			t.Errorf("%s: %s %v, with %v dynamic barriers, thousands of commands, threads; want %v", k.Name, r.Verdict, r.Reasons, got, want[k.Name])
		}
	}
}
