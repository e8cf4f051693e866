# The persistent kernel whose compute warp counts its stages from zero in every tile, while the copy warp goes on
# counting: their stages part ways unless every tile has a multiple of all stages twice.
# expect: violated deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32, Int64

STAGES = 2
COPY = 0
COMPUTE = 1
STORE = (2, 3)


@cute.kernel
def tiles(params: utils.PersistentTileSchedulerParams, k_tiles: Int32):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    full = smem.allocate_array(Int64, STAGES)
    empty = smem.allocate_array(Int64, STAGES)
    result = smem.allocate_array(Int64, 1)
    taken = smem.allocate_array(Int64, 1)
    if tid == 0:
        for s in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + s, 1)
            cute.arch.mbarrier_init(empty + s, 1)
        cute.arch.mbarrier_init(result, 1)
        cute.arch.mbarrier_init(taken, len(STORE))
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()

    scheduler = utils.StaticPersistentTileScheduler.create(params, cute.arch.block_idx(), cute.arch.grid_dim())
    work = scheduler.initial_work_tile_info()
    if warp == COPY:
        step = Int32(0)
        while work.is_valid_tile:
            for k in cutlass.range(k_tiles):
                cute.arch.mbarrier_wait(empty + step % STAGES, (step // STAGES + 1) & 1)
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive(full + step % STAGES)
                step += 1
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()
    if warp == COMPUTE:
        step = Int32(0)
        while work.is_valid_tile:
            step = Int32(0)
            cute.arch.mbarrier_wait(taken, (scheduler.num_tiles_executed + 1) & 1)
            for k in cutlass.range(k_tiles):
                cute.arch.mbarrier_wait(full + step % STAGES, (step // STAGES) & 1)
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive(empty + step % STAGES)
                step += 1
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(result)
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()
    if warp in STORE:
        while work.is_valid_tile:
            cute.arch.mbarrier_wait(result, scheduler.num_tiles_executed & 1)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(taken)
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()


@cute.jit
def launch(m: Int32, n: Int32, k_tiles: Int32, max_active_clusters: Int32):
    params = utils.PersistentTileSchedulerParams((m, n, 1), (1, 1, 1))
    grid = utils.StaticPersistentTileScheduler.get_grid_shape(params, max_active_clusters)
    tiles(params, k_tiles).launch(grid=grid, block=[32 * 4, 1, 1])
