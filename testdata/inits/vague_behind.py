# A pair of warps initialises an mbarrier behind the barrier, and others use it there.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

WARPS = 4


@cute.kernel
def fill(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cutlass.Array(cutlass.Int32, 32 * WARPS, space=cutlass.AddressSpace.smem)
    full = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    if tid >= 64:
        prims.barrier_cta_sync(0)
    if prims.elect_sync():
        prims.mbarrier_init(full, 32 * WARPS)
    prims.fence_mbarrier_init()
    if tid < 64:
        prims.barrier_cta_sync(0)
    kept[tid] = out[tid]
    prims.mbarrier_arrive(full)
    while not prims.mbarrier_try_wait_parity(full, 0, time_limit=10000000):
        pass
    out[tid] = kept[32 * WARPS - 1 - tid]


@cute.jit
def run(out: cute.Tensor):
    fill(out).launch(grid=(1, 1, 1), block=(32 * WARPS, 1, 1))
