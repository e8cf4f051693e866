package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
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
		{"no layout, no bytes", "3 + cute.size_in_bytes(cutlass.Float16, None)", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := python("for i in range(" + tt.size + "):\n    cute.arch.mbarrier_arrive(bar)\n")
			tree := read("k.py", strings.Replace(text, "import cutlass\n", "import cutlass\nimport cutlass.utils as utils\n", 1))
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
