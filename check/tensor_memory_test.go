package check

import (
	"strings"
	"testing"
)

const tensorMemoryKernel = `import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass.cute.nvgpu import tcgen05

@cute.kernel
def drain():
    tidx, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    together = pipeline.NamedBarrier(barrier_id=1, num_threads=128)
    tmem = utils.TmemAllocator(smem.allocate_array(cutlass.Int32, 1), barrier_for_retrieve=together)
    tmem.allocate(512)
    tmem.wait_for_alloc()
    at = tmem.retrieve_ptr(cutlass.Float32)
    sums = cute.make_tensor(at, cute.make_layout((128, 128)))
    load = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x64), cutlass.Float32), sums)
    out = cute.make_rmem_tensor((128,), cutlass.Float32)
    cute.copy(load, load.get_slice(tidx).partition_S(sums), out)
    BEFORE
    tmem.free(at)

@cute.jit
def main():
    drain().launch(grid=(1, 1, 1), block=(128, 1, 1))
`

// Tensor memory may be freed only after all warps of the CTA have read from it.
func TestTensorMemoryIsFreedLast(t *testing.T) {
	for before, want := range map[string]string{
		"together.arrive_and_wait()": "",
		"pass":                       `nothing orders this free of "tensor memory" and the use of it at line 19`,
	} {
		report, err := run(t, map[string]string{"k.py": strings.Replace(tensorMemoryKernel, "BEFORE", before, 1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range report.Findings {
			got += f.Message
			if f.Line != 21 {
				t.Errorf("%s: found at line %d, want 21", before, f.Line)
			}
		}
		if got != want || len(report.Kernels) != 1 || (report.Kernels[0].Verdict == "holds") != (want == "") {
			t.Errorf("%s: found %q, want %q: %+v", before, got, want, report.Kernels)
		}
	}
}
