package check

import (
	"fmt"
	"strings"
	"testing"
)

const (
	partialHead = `import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


@cute.kernel
def kernel(n: cutlass.Int32):
    tidx, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = cutlass.utils.SmemAllocator()
    bars = smem.allocate_array(cutlass.Int64, num_elems=2)
    if tidx == 0:
        cute.arch.mbarrier_init(bars, COUNT)
        cute.arch.mbarrier_init(bars + 1, COUNT)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
`
	partialTail = `

@cute.jit
def main(n: cutlass.Int32):
    kernel(n).launch(grid=(1, 1, 1), block=(64, 1, 1))
`
)

// TestPartial: what goes wrong in the parts of a kernel that are known counts, and nothing else does.
func TestPartial(t *testing.T) {
	give, take := "cute.arch.mbarrier_arrive(bars)", "cute.arch.mbarrier_wait(bars, phase)"
	tests := []struct{ name, body, want string }{
		{"a loop whose end never comes hangs on what the others do only once", `
    if warp == 0:
        i, phase = 0, 0
        while i < 1:
            ` + take + `
            phase ^= 1
    if warp == 1:
        ` + give, "violated FP120@@20"},
		{"a loop whose end never comes, at which nobody waits", `
    if warp == 0:
        i = 0
        while i < 1:
            cute.arch.sync_warp()
    if warp == 1:
        phase = 0
        ` + take, "inconclusive "},
		{"counts that differ by their place, each beyond what comes", `
    if warp == 0:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)
    cute.arch.barrier(barrier_id=2, number_of_threads=64)
    if warp == 1:
        cute.arch.barrier(barrier_id=1, number_of_threads=32)`, "violated FP120@@18"},
		{"counts in turn", `
    cute.arch.barrier(barrier_id=1, number_of_threads=64)
    if warp == 1:
        cute.arch.barrier(barrier_id=1, number_of_threads=32)`, "holds "},
	}
	for _, test := range tests {
		text := strings.ReplaceAll(partialHead, "COUNT", "32") + test.body[1:] + "\n" + partialTail
		r, err := run(t, map[string]string{"k.py": text}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%s: %v, %d kernels", test.name, err, len(r.Kernels))
		}
		got := r.Kernels[0].Verdict + " "
		for _, f := range r.Findings {
			got += fmt.Sprintf("%s@@%d", f.Rule, f.Line)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q\n%s\n%v", test.name, got, test.want, text, r.Kernels[0].Reasons)
		}
	}
}

// TestZeroCount: an init for no arrivals is told where nothing about the launch was assumed.
func TestZeroCount(t *testing.T) {
	kernel := strings.ReplaceAll(partialHead, "COUNT", "count") + partialTail
	kernel = strings.Replace(kernel, "kernel(n: cutlass.Int32", "kernel(n: cutlass.Int32, count: cutlass.Constexpr", 1)
	for _, test := range []struct{ main, call, want string }{
		{"main(n: cutlass.Int32):", "size = 3\n    kernel(n, size // 4)", "FP107@@13"},
		{"main(n: cutlass.Int32, size: cutlass.Constexpr):", "kernel(n, size // 512)", ""},
	} {
		text := strings.Replace(strings.Replace(kernel, "main(n: cutlass.Int32):", test.main, 1), "kernel(n)", test.call, 1)
		r, err := run(t, map[string]string{"k.py": text}, nil)
		if err != nil || len(r.Kernels) != 1 {
			t.Fatalf("%v, %d kernels", err, len(r.Kernels))
		}
		got := ""
		for _, f := range r.Findings {
			got += fmt.Sprintf("%s@@%d", f.Rule, f.Line)
		}
		if got != test.want || r.Kernels[0].Verdict != "inconclusive" {
			t.Errorf("got %q, %s, want %q\n%s\n%v", got, r.Kernels[0].Verdict, test.want, text, r.Kernels[0].Reasons)
		}
	}
}
