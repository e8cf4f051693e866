# As right_assumed_width.py, but a stage is given back ahead of its reads.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.cute.nvgpu import cpasync

STAGES = 2


@cute.kernel
def total(atom: cute.CopyAtom, x: cute.Tensor, y: cute.Tensor, staged: cute.Layout, size: cutlass.Constexpr, tiles: cutlass.Int32):
    tidx, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = cutlass.utils.SmemAllocator()
    bars = memory.allocate_array(cutlass.Int64, 2 * STAGES)
    rows = memory.allocate_tensor(cutlass.Float32, staged, 128)
    ring = pipeline.PipelineTmaAsync.create(
        barrier_storage=bars,
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
        tx_count=size,
    )
    from_x, to_rows = cute.local_tile(x, (32, 32), (0, None)), cute.group_modes(rows, 0, 2)
    into, source = cpasync.tma_partition(atom, 0, cute.make_layout(1), to_rows, cute.group_modes(from_x, 0, 2))
    if warp == 4:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        for n in cutlass.range(tiles):
            ring.producer_acquire(state)
            cute.copy(atom, source[None, n], into[None, state.index], tma_bar_ptr=ring.producer_get_barrier(state))
            ring.producer_commit(state)
            state.advance()
    else:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        for n in cutlass.range(tiles):
            ring.consumer_wait(state)
            index = state.index
            ring.consumer_release(state)
            y[tidx, n] = rows[tidx % 32, tidx // 32, index]
            state.advance()


@cute.jit
def launch(x: cute.Tensor, y: cute.Tensor, tiles: cutlass.Int32):
    one = cute.make_ordered_layout((32, 32), order=(1, 0))
    staged = cute.make_ordered_layout((32, 32, STAGES), order=(1, 0, 2))
    atom, seen = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), x, one, (32, 32))
    total(atom, seen, y, staged, cute.size_in_bytes(x.element_type, one), tiles).launch(grid=(1, 1, 1), block=(160, 1, 1))
