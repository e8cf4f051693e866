# Tensor memory whose users read the address without waiting for the allocation.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32, Int64

OWNER = 1
WARPS = 3


class Meeting:
    def __init__(self, number, threads):
        self.number = number
        self.threads = threads

    def arrive_and_wait(self):
        cute.arch.barrier(barrier_id=self.number, number_of_threads=self.threads)


@cute.kernel
def columns(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    address = smem.allocate_array(Int32, 1)
    done = smem.allocate_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(done, 32 * (WARPS - 1))
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    tmem = utils.TmemAllocator(address, barrier_for_retrieve=Meeting(2, 32 * WARPS), allocator_warp_id=OWNER)
    tmem.allocate(512)
    base = tmem.retrieve_ptr(cutlass.Float32)
    tmem.relinquish_alloc_permit()
    if warp == OWNER:
        cute.arch.mbarrier_wait(done, 0)
        tmem.free(base)
    else:
        cute.arch.mbarrier_arrive(done)


@cute.jit
def launch(out: cute.Tensor):
    columns(out).launch(grid=[1, 1, 1], block=[32 * WARPS, 1, 1])
