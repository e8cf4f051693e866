# The scheduler that asks once more as it leaves, and does not await the answer: hardware may write it when the CTA has gone.
# expect: violated lifetime
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32, Int64

SCHEDULER = 2
THREADS = 96


@cute.kernel
def queries(params: utils.ClcDynamicPersistentTileSchedulerParams):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.warp_idx()
    smem = utils.SmemAllocator()
    response = smem.allocate_array(Int32, 4)
    full = smem.allocate_array(Int64, 1)
    empty = smem.allocate_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init(empty, THREADS)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    sched = utils.ClcDynamicPersistentTileScheduler.create(
        params, cute.arch.block_idx(), cute.arch.grid_dim(), response)
    work = sched.initial_work_tile_info()
    phase = Int32(0)
    while work.is_valid_tile:
        if warp == SCHEDULER:
            cute.arch.mbarrier_wait(empty, phase ^ 1)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full, 16)
            sched.advance_to_next_work(full)
        cute.arch.mbarrier_wait(full, phase)
        work = sched.get_current_work()
        cute.arch.mbarrier_arrive(empty)
        phase ^= 1
    if warp == SCHEDULER:
        cute.arch.mbarrier_wait(empty, phase ^ 1)
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(full, 16)
            cute.arch.issue_clc_query(full, response, multicast=False)


@cute.jit
def launch(m: Int32, n: Int32):
    params = utils.ClcDynamicPersistentTileSchedulerParams((m, n, 1), (1, 1, 1))
    grid = utils.ClcDynamicPersistentTileScheduler.get_grid_shape(params)
    queries(params).launch(grid=grid, block=(THREADS, 1, 1))
