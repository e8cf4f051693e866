# The agenda whose scheduler does not wait for the entry to be free: it writes over one that is being read.
# expect: violated race deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass import Int32, Int64

STAGES = 2
WORK = (0, 1)
LOAD = 2
SCHEDULE = 3
THREADS = 32


@cute.kernel
def agenda(params: utils.PersistentTileSchedulerParams, k_tiles: Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    page = smem.allocate_tensor(Int32, cute.make_layout((4, STAGES), stride=(1, 4)))
    page_ring = pipeline.PipelineAsync.create(
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, THREADS),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, THREADS * 3),
        barrier_storage=smem.allocate_array(Int64, 2 * STAGES))
    data_ring = pipeline.PipelineAsync.create(
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, THREADS),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, THREADS * len(WORK)),
        barrier_storage=smem.allocate_array(Int64, 2 * STAGES))

    if warp == SCHEDULE:
        scheduler = utils.StaticPersistentTileScheduler.create(params, cute.arch.block_idx(), cute.arch.grid_dim())
        work = scheduler.initial_work_tile_info()
        write = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        while work.is_valid_tile:
            with cute.arch.elect_one():
                page[(0, write.index)] = work.tile_idx[0]
                page[(1, write.index)] = work.tile_idx[1]
                page[(3, write.index)] = 1
            cute.arch.sync_warp()
            page_ring.producer_commit(write)
            write.advance()
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()
        page_ring.producer_acquire(write)
        with cute.arch.elect_one():
            page[(3, write.index)] = 0
        cute.arch.sync_warp()
        page_ring.producer_commit(write)

    if warp == LOAD:
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        fill = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        entry = cute.make_rmem_tensor((4,), Int32)
        page_ring.consumer_wait(read)
        cute.autovec_copy(page[(None, read.index)], entry)
        page_ring.consumer_release(read)
        read.advance()
        while entry[3] == 1:
            for k in cutlass.range(k_tiles):
                data_ring.producer_acquire(fill)
                data_ring.producer_commit(fill)
                fill.advance()
            page_ring.consumer_wait(read)
            cute.autovec_copy(page[(None, read.index)], entry)
            page_ring.consumer_release(read)
            read.advance()

    if warp in WORK:
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        take = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        page_ring.consumer_wait(read)
        more = page[(3, read.index)]
        page_ring.consumer_release(read)
        read.advance()
        while more != 0:
            for k in cutlass.range(k_tiles):
                data_ring.consumer_wait(take)
                data_ring.consumer_release(take)
                take.advance()
            page_ring.consumer_wait(read)
            more = page[(3, read.index)]
            page_ring.consumer_release(read)
            read.advance()


@cute.jit
def launch(m: Int32, n: Int32, k_tiles: Int32, max_active_clusters: Int32):
    params = utils.PersistentTileSchedulerParams((m, n, 1), (1, 1, 1))
    grid = utils.StaticPersistentTileScheduler.get_grid_shape(params, max_active_clusters)
    agenda(params, k_tiles).launch(grid=grid, block=[THREADS * 4, 1, 1])
