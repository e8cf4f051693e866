package check

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A finding names what it has to agree with: the init, the waits, the other access, the branch, the arrival before.
func TestRelatedPlaces(t *testing.T) {
	const head = `import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

@cute.kernel
def kernel():
    tidx, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    gate = smem.allocate_array(cutlass.Int64, 1)
    word = smem.allocate_array(cutlass.Int32, 1)
`
	const tail = `
@cute.jit
def main():
    kernel().launch(grid=(2, 1, 1), block=(64, 1, 1), cluster=(2, 1, 1))
`
	const ready = "    if tidx == 0:\n        cute.arch.mbarrier_init(gate, 32)\n        cute.arch.mbarrier_init_fence()\n    cute.arch.sync_threads()\n"
	for _, test := range []struct{ body, rule, want string }{
		{ready + "    cute.arch.mbarrier_arrive(gate)\n    cute.arch.mbarrier_arrive(gate)\n    cute.arch.mbarrier_arrive(gate)\n    cute.arch.mbarrier_wait(gate, 0)\n",
			"FP120", "15 16 17"},
		{"    if tidx < 32:\n        word[0] = 1\n    cute.arch.sync_warp()\n    if tidx >= 32:\n        word[0] = 2\n", "FP720", "15"},
		{ready + "    cute.arch.cluster_arrive()\n    cute.arch.cluster_wait()\n    if cute.arch.block_idx_in_cluster() == 0:\n        cute.arch.mbarrier_arrive(gate, 1)\n",
			"FP620", "12 16"},
		{"    cute.arch.cluster_arrive()\n    cute.arch.cluster_arrive()\n    cute.arch.cluster_wait()\n", "FP404", "11 13"},
	} {
		report, err := run(t, map[string]string{"k.py": head + test.body + tail}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := "nothing"
		for _, f := range report.Findings {
			if f.Rule == test.rule {
				var lines []string
				for _, l := range f.Labels {
					lines = append(lines, fmt.Sprint(l.Line))
				}
				got = strings.Join(lines, " ")
			}
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s names lines %q, want %q: %+v", test.rule, got, test.want, report.Findings)
		}
	}
}

// Where nobody waits for what copies bring, the first read of it is where a wait belongs.
func TestMissingWait(t *testing.T) {
	text, err := os.ReadFile("../testdata/handoff/right.py")
	if err != nil {
		t.Fatal(err)
	}
	const poll = "    while not prims.mbarrier_try_wait_parity(barrier, phase):\n        pass\n"
	broken := strings.Replace(string(text), poll, "    pass\n", 1)
	report, err := run(t, map[string]string{"k.py": broken}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		for _, l := range f.Labels {
			if strings.Contains(l.Text, "expected a wait for it before") && strings.Contains(strings.Split(broken, "\n")[l.Line-1], "value = raw[") {
				return
			}
		}
	}
	t.Errorf("no finding says where the wait for the copy belongs: %+v", report.Findings)
}

// TMA may read what threads wrote only after a proxy fence of theirs; a shared tensor laid over another is one memory.
func TestStoresOfWrittenTensors(t *testing.T) {
	const kernel = `import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync

@cute.kernel
def kernel(store: cute.CopyAtom, out: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    first = smem.allocate_tensor(cutlass.Float32, cute.make_layout((32, 64)), 128)
    tile = cute.make_tensor(cute.recast_ptr(first.iterator, dtype=out.element_type), cute.make_layout((64, 64)))
    parts, there = cpasync.tma_partition(store, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(out, 0, 2))
    copy = cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), cute.make_layout(64), cute.make_layout(8)).get_slice(tidx)
    cute.copy(copy, cute.make_rmem_tensor((8,), cutlass.Float16), copy.partition_D(tile))
    FENCE
    MEET
    if warp == 0:
        cute.copy(store, parts, there)
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0, read=True)

@cute.jit
def main(out: cute.Tensor):
    store, target = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), out, cute.make_layout((64, 64)), (64, 64))
    kernel(store, target).launch(grid=(1, 1, 1), block=(64, 1, 1))
`
	const fence, meet = `cute.arch.fence_proxy("async.shared", space="cta")`, "cute.arch.sync_threads()"
	for _, test := range []struct{ fence, meet, want string }{
		{fence, meet, ""},
		{"pass", meet, "FP201"},
		{fence, "pass", "FP720"},
	} {
		report, err := run(t, map[string]string{"k.py": strings.NewReplacer("FENCE", test.fence, "MEET", test.meet).Replace(kernel)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range report.Findings {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s; %s: found %v, want %q: %+v", test.fence, test.meet, got, test.want, report.Kernels)
		}
	}
}
