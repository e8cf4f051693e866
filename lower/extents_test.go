package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/program"
)

// sharedTiles loads A and B into two CTAs of a cluster that share A's tiles. The producer counts its loop by B, the consumers
// by A; the copies get their mbarrier in keywords; what the launch needs besides the tensors comes in a record.
const sharedTiles = `from typing import NamedTuple, Optional
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync
from cutlass.pipeline import Agent, CooperativeGroup
from cutlass.utils import block_copy

class Plan(NamedTuple):
    consumers: int
    stages: cutlass.Constexpr[int] = 2
    extra: Optional[cute.Tensor] = None

@cute.struct
class Storage:
    bars: cute.struct.MemRange[cutlass.Int64, 4]

class Product:
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, plan: Plan):
        op = cpasync.CopyBulkTensorTileG2SOp()
        tile = cute.make_layout((128, 64, plan.stages))
        atom_a, tensor_a = cpasync.make_tiled_tma_atom(op, a, tile, (128, 64))
        atom_b, tensor_b = cpasync.make_tiled_tma_atom(op, b, tile, (128, 64))
        self.kernel(atom_a, tensor_a, atom_b, tensor_b, tile, plan).launch(grid=(4, 2, 1), block=(96, 1, 1), cluster=(1, 2, 1))

    def loader(self, atom, src, dst, **more):
        def load(k, stage, **kwargs):
            block_copy(atom, src[None, k], dst[None, stage], **more, **kwargs)
        return load

    @cute.kernel
    def kernel(self, atom_a: cute.CopyAtom, mA_mk: cute.Tensor, atom_b: cute.CopyAtom, mB_nk: cute.Tensor, tile: cute.Layout, plan: Plan):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = cutlass.utils.SmemAllocator()
        storage = smem.allocate(Storage)
        sA = smem.allocate_tensor(cutlass.Float16, tile, 128)
        sB = smem.allocate_tensor(cutlass.Float16, tile, 128)
        pipe = pipeline.PipelineTmaAsync.create(num_stages=plan.stages, producer_group=CooperativeGroup(Agent.Thread),
            consumer_group=CooperativeGroup(Agent.Thread, 2 * 2), tx_count=2 * 128 * 64 * 2, barrier_storage=storage.bars.data_ptr(),
            cta_layout_vmnk=cute.make_layout((1, 1, 2, 1)))
        gA = cute.group_modes(cute.local_tile(mA_mk, (128, 64), (0, None)), 0, 2)
        gB = cute.group_modes(cute.local_tile(mB_nk, (128, 64), (0, None)), 0, 2)
        row = {"cluster_shape": (1, 2), "multicast_dim": "M"}
        loads = [self.loader(atom_a, gA, cute.group_modes(sA, 0, 2), tma_multicast=row), self.loader(atom_b, gB, cute.group_modes(sB, 0, 2))]
        if warp == 0:
            state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, plan.stages)
            for k in cutlass.range(cute.ceil_div(cute.size(mB_nk, mode=[1]), 64)):
                pipe.producer_acquire(state)
                for load in loads:
                    load(k, state.index, tma_bar_ptr=pipe.producer_get_barrier(state))
                state.advance()
            pipe.producer_tail(state)
        else:
            state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, plan.stages)
            for k in cutlass.range(cute.ceil_div(cute.size(mA_mk, mode=[1]), 64)):
                pipe.consumer_wait(state)
                pipe.consumer_release(state)
                state.advance()
`

func TestSharedTiles(t *testing.T) {
	k := Kernels(read("k.py", sharedTiles), dialect.New(program.CuTe), Options{})[0]
	if k.Bounds["ctas"] != "2" || k.Bounds["a.shape[1]"] != "64, 65, 128, 192, 320" || !strings.Contains(k.Bounds["assumed"], "k of mA_mk is that of mB_nk") {
		t.Errorf("bounds %v", k.Bounds)
	}
	if got := verdict(t, sharedTiles); got != "holds" {
		t.Errorf("got %s", got)
	}
	for _, w := range []twin{
		{`"multicast_dim": "M"`, `"multicast_dim": "N"`, "holds"}, // each CTA brings all of A for itself
		{"mB_nk", "mB", "deadlock"},                               // nothing says that the extents are one
		{"2 * 2), tx", "2), tx", "deadlock"},
		{"tx_count=2 * 128", "tx_count=128", "deadlock"},
		{"            block_copy(atom", "            cute.prefetch(atom", "deadlock"},
	} {
		if got := verdict(t, strings.ReplaceAll(sharedTiles, w.old, w.new)); got != w.want {
			t.Errorf("%s → %s: got %s, want %s", w.old, w.new, got, w.want)
		}
	}
}

func TestModesIn(t *testing.T) {
	for name, want := range map[string]string{"mA_mkl": "mkl", "mC_mn": "mn", "mA": "", "x_m": "", "sum_mm": "", "mk": "", "tile_shape": ""} {
		if got := cute.ModesIn(name); got != want {
			t.Errorf("modesIn(%q) = %q, want %q", name, got, want)
		}
	}
}

// Extents of which the host side knows nothing are unknowns of the kernel, the same for every role.
func TestUnknownExtents(t *testing.T) {
	const kernel = `import cutlass
import cutlass.cute as cute
from cutlass import Int64
@cute.kernel
def kernel(a: cute.Tensor):
    bar = cutlass.utils.SmemAllocator().allocate_array(Int64, 1)
    tid = cute.arch.thread_idx()[0]
    if tid == 0:
        cute.arch.mbarrier_init(bar, 2)
    cute.arch.sync_threads()
    if tid == 0:
        for i in range(cute.size(cute.local_tile(a, (128, 64), (None, None, None)), mode=[3])):
            cute.arch.mbarrier_arrive(bar)
            cute.arch.mbarrier_wait(bar, i % 2)
    if tid == 32:
        for i in range(cute.size(cute.local_tile(a, (64, 64), (None, None, None)), mode=[3])):
            cute.arch.mbarrier_arrive(bar)
            cute.arch.mbarrier_wait(bar, i % 2)
@cute.jit
def host(records: list):
    kernel(cute.make_tensor(records[0].start + 1 / 3, records[0].layout * 0.5)).launch(grid=(1, 1, 1), block=(64, 1, 1))
`
	if got := verdict(t, kernel); got != "holds" {
		t.Errorf("got %s", got)
	}
}
