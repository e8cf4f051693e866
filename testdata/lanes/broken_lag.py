# All lanes wait for a phase and one of them goes on with the work: another may still ask for it two phases later, on no machine that is known (a warning).
# expect: warned deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32
from cutlass.experimental import primitives as prims


@cute.kernel
def relay(out: cute.Tensor, n: Int32):
    tid, _, _ = cute.arch.thread_idx()
    full = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    empty = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem)
    kept = cutlass.Array(cutlass.Int32, 1, space=cutlass.AddressSpace.smem)
    if tid == 0:
        prims.mbarrier_init(full, 1)
        prims.mbarrier_init(empty, 1)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
    first = tid % 32 == 0
    if tid < 32:
        for k in range(n):
            while not prims.mbarrier_try_wait_parity(empty, (k & 1) ^ 1, time_limit=10000000):
                pass
            if first:
                kept[0] = Int32(k)
                prims.mbarrier_arrive(full)
    if tid >= 32:
        for k in range(n):
            if first:
                while not prims.mbarrier_try_wait_parity(full, k & 1, time_limit=10000000):
                    pass
                out[k] = kept[0]
                prims.mbarrier_arrive(empty)


@cute.jit
def run(out: cute.Tensor, n: Int32):
    relay(out, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
