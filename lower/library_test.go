package lower

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestLibrarySizes evaluates sizes that kernels ask the library for: a kernel arrives once for each unit.
func TestLibrarySizes(t *testing.T) {
	const epilogue = "utils.sm100.compute_epilogue_tile_shape"
	tests := []struct {
		name, size string
		want       int
	}{
		{"half-precision tile", "cute.size(" + epilogue + "((128, 128, 64), False, None, cutlass.Float16)) // 1024", 4},
		{"columns of it", "cute.size(" + epilogue + "((128, 128, 64), False, None, cutlass.Float16)[1]) // 8", 4},
		{"tile of 64 rows", "cute.size(" + epilogue + "((64, 128, 64), False, None, cutlass.Float16)[1]) // 8", 8},
		{"narrow tile", "cute.size(" + epilogue + "((128, 16, 64), False, None, cutlass.Float16)[1]) // 8", 2},
		{"tile that is read too", "cute.size(" + epilogue + "((128, 256, 64), False, None, cutlass.Float16, elem_ty_c=cutlass.Float16)[1]) // 8", 8},
		{"tiles that a kernel counts itself", "counted(utils.StaticPersistentTileScheduler.create(utils.PersistentTileSchedulerParams((4, 4, 1), (1, 1, 1)), (0, 0, 0), (1, 1, 1)))", 5},
		{"no layout, no bytes", "3 + cute.size_in_bytes(cutlass.Float16, None)", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := python("for i in range(" + tt.size + "):\n    cute.arch.mbarrier_arrive(bar)\n")
			text = strings.Replace(text, "import cutlass\n", "import cutlass\nimport cutlass.utils as utils\ndef counted(tiles):\n    tiles.advance_to_next_work()\n    tiles._num_tiles_executed += 4\n    return tiles.num_tiles_executed\n", 1)
			tree := read("k.py", text)
			k := Kernels(tree, dialect.New(tree.Language), Options{})[0]
			want := strings.TrimSpace(strings.Repeat("A0 ", tt.want))
			if got := outline(k); got != want {
				t.Errorf("got %q, want %q; opaque %v", got, want, k.Opaque)
			}
		})
	}
}

// TestQueryCount: a scheduler waits on full and empty barriers of one array, and only the full ones bring answers.
func TestQueryCount(t *testing.T) {
	text := pipelineKernel(`PipelineClcFetchAsync.create(num_stages=1, producer_group=CooperativeGroup(Agent.Thread),
        consumer_group=CooperativeGroup(Agent.Thread, 128), tx_count=16, barrier_storage=storage.bars.data_ptr())`, `answer = smem.allocate_array(cutlass.Int32, 4)
params = cutlass.utils.ClcDynamicPersistentTileSchedulerParams((n, n, 1), (1, 1, 1))
tiles = cutlass.utils.ClcDynamicPersistentTileScheduler.create(params, cute.arch.block_idx(), cute.arch.grid_dim(), answer)
work = tiles.initial_work_tile_info()
reads = pipeline.make_pipeline_state(PipelineUserType.Consumer, 1)
asks = pipeline.make_pipeline_state(PipelineUserType.Producer, 1)
while work.is_valid_tile:
    if warp == 0:
        pipe.producer_acquire(asks)
        tiles.advance_to_next_work(pipe.producer_get_barrier(asks))
        asks.advance()
    pipe.consumer_wait(reads)
    work = tiles.get_current_work()
    pipe.consumer_release(reads)
    reads.advance()
if warp == 0:
    pipe.producer_tail(asks)`)
	if got := verdict(t, text); got != "holds" {
		t.Errorf("got %s", got)
	}
}

// pairKernel multiplies with a pair of CTAs. The host side leaves the size of the tile and of the cluster open.
const pairKernel = `import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass.pipeline import Agent, CooperativeGroup

@cute.struct
class Storage:
    bars: cute.struct.MemRange[cutlass.Int64, 4]

@cute.kernel
def k(n: cutlass.Int32, mma: cute.TiledMma, atom: cute.CopyAtom, src: cute.Tensor, tile: cute.Layout, ctas: cute.Layout, size: cutlass.Constexpr):
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
    smem = utils.SmemAllocator()
    storage = smem.allocate(Storage)
    s = smem.allocate_tensor(element_type=cutlass.Float16, layout=tile.outer, byte_alignment=128, swizzle=tile.inner)
    fill, use = pipeline.PipelineTmaUmma.create(num_stages=2, producer_group=CooperativeGroup(Agent.Thread),
        consumer_group=CooperativeGroup(Agent.Thread, 1), tx_count=size, barrier_storage=storage.bars.data_ptr(),
        cta_layout_vmnk=ctas).make_participants()
    mask = cute.nvgpu.cpasync.create_tma_multicast_mask(ctas, ctas.get_flat_coord(rank), mcast_mode=2)
    to, what = cute.nvgpu.cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 3), src)
    for _ in cutlass.range(n):
        stage = fill.acquire_and_advance()
        cute.copy(atom, what[(None, stage.count)], to[(None, stage.index)], tma_bar_ptr=stage.barrier, mcast_mask=mask)
        if rank % 2 == 0:
            full = use.wait_and_advance()
            full.release()
    fill.tail()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()

@cute.jit
def host(n: cutlass.Int32, src: cute.Tensor, m: cutlass.Constexpr[int], cluster: cutlass.Constexpr[int]):
    op = cute.nvgpu.tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (m, 128, 16), cute.nvgpu.tcgen05.CtaGroup.TWO,
        cute.nvgpu.tcgen05.OperandSource.SMEM, cute.nvgpu.tcgen05.OperandMajorMode.K, cute.nvgpu.tcgen05.OperandMajorMode.K)
    mma = cute.make_tiled_mma(op)
    tile = utils.sm100.make_smem_layout_a(mma, (m, 128, 64), cutlass.Float16, 2)
    ctas = cute.tiled_divide(cute.make_layout((cluster, 1, 1)), (mma.thr_id,))
    load = utils.sm100.cluster_shape_to_tma_atom_A((cluster, 1), mma.thr_id)
    size = cute.size_in_bytes(cutlass.Float16, cute.select(tile, mode=[0, 1, 2])) * cute.size(mma.thr_id)
    atom, tensor = cute.nvgpu.make_tiled_tma_atom_A(load, src, tile, (m, 128, 64), mma, ctas.shape)
    k(n, mma, atom, tensor, tile, ctas, size).launch(grid=[4, 1, 1], block=[32, 1, 1], cluster=(cluster, 1, 1))
`

// TestPairs: an instruction for a pair of CTAs needs a cluster of two, whose leader is told the bytes of both.
func TestPairs(t *testing.T) {
	k := Kernels(read("k.py", pairKernel), dialect.New(program.CuTe), Options{})[0]
	if k.Bounds["ctas"] != "2" {
		t.Errorf("%s CTAs", k.Bounds["ctas"])
	}
	if got := verdict(t, pairKernel); got != "holds" {
		t.Errorf("got %s", got)
	}
	broken := strings.Replace(pairKernel, "\n        if rank % 2 == 0:\n", "\n        if rank % 2 == 1:\n", 1)
	if got := verdict(t, broken); got == "holds" || strings.HasPrefix(got, "opaque") {
		t.Errorf("the second CTA multiplies: %s", got)
	}
}

// TestTmaInfo: what makes a tiled copy gives a pair, and the layout it was made for.
func TestTmaInfo(t *testing.T) {
	text := pyHead + `def kernel(tma, atom: cute.CopyAtom, src: cute.Tensor):
    bar = cutlass.utils.SmemAllocator().allocate_array(Int64, 1)
    cute.arch.mbarrier_init(bar, 1)
    cute.arch.sync_threads()
    for k in range(cute.size(tma.tma_tensor) // 128 + cute.size(src) // 64 + cute.size(tma[1]) // 64 + cute.size(tma.smem_layout) // 32):
        cute.arch.mbarrier_arrive(bar)

@cute.jit
def main(a: cute.Tensor):
    whole = cute.make_layout((8, 8))
    tma = cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), cute.make_tensor(a.iterator, cute.make_layout((16, 8))), whole, (8, 8))
    atom, src = tma
    kernel(tma, tma.atom, src).launch(grid=(1, 1, 1), block=(1, 1, 1))
`
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if got, want := outline(k), "A A A A A A A"; got != want {
		t.Errorf("got %q, want %q; opaque %v", got, want, k.Opaque)
	}
}

// TestTail: a tail waits for the stages to be empty and does not arm their full barriers again, in no CTA.
func TestTail(t *testing.T) {
	k := Kernels(read("k.py", pairKernel), dialect.New(program.CuTe), Options{})[0]
	for _, p := range k.Instances {
		for _, c := range p.Classes {
			expects, copies := 0, 0
			for _, op := range c.Ops {
				switch {
				case op.Kind == protocol.ArriveExpectTx:
					expects++
				case op.Kind == protocol.Issue && len(op.Effects) == 1 && op.Effects[0].Bytes > 0:
					copies++
				}
			}
			if expects > copies {
				t.Errorf("%d expects for %d copies", expects, copies)
			}
		}
	}
}

// TestLibraryKeepsNothing makes sure that the models' functions set no variable of their module: what is carried from round
// to round is not looked for there (survey.go).
func TestLibraryKeepsNothing(t *testing.T) {
	err := fs.WalkDir(embedded, "library", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(name)
		for i, line := range strings.Split(string(text), "\n") {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "global" || word == "nonlocal" {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
