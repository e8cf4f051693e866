# A warp writes to shared memory which tile of which group is next, and never the group that ends the work: the other role waits for it.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.mixed_input_helpers as mixed_input_utils

GROUPS = 2


@cute.kernel
def walk(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    bars = smem.allocate_array(cutlass.Int64, 2)
    info = smem.allocate_tensor(cutlass.Int32, cute.make_layout((4, 1)), 16)
    tiles = pipeline.PipelineAsync.create(
        barrier_storage=bars, num_stages=1,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    )
    cute.arch.sync_threads()
    if warp == 0:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        for group in cutlass.range_constexpr(GROUPS):
            tiles.producer_acquire(state)
            with cute.arch.elect_one():
                info[0, 0] = 0
                info[1, 0] = 0
                info[2, 0] = group
                info[3, 0] = 8
            cute.arch.sync_warp()
            tiles.producer_commit(state)
            state.advance()
    else:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        tiles.consumer_wait(state)
        work = mixed_input_utils.make_contiguous_group_work_tile_info(GROUPS, info[(None, 0)])
        tiles.consumer_release(state)
        state.advance()
        while work.is_valid_tile:
            out[tid] = cutlass.Float32(1.0)
            tiles.consumer_wait(state)
            work = mixed_input_utils.make_contiguous_group_work_tile_info(GROUPS, info[(None, 0)])
            tiles.consumer_release(state)
            state.advance()


@cute.jit
def host(out: cute.Tensor):
    walk(out).launch(grid=(1, 1, 1), block=(64, 1, 1))
