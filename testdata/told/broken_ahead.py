# As right.py, but the fence stands ahead of the wait.
# expect: holds open=proxy
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.experimental import primitives as prims


@cute.kernel
def staged(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    warp, lane = t // 32, t % 32
    row = cutlass.Array(Float32, 64, space=cutlass.AddressSpace.smem, alignment=128)
    full = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem, alignment=8)
    free = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem, alignment=8)
    if t == 0:
        prims.mbarrier_init(full, 2)
        prims.mbarrier_init(free, 1)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
    for k in cutlass.range_constexpr(3):
        if warp < 2:
            if cutlass.const_expr(k > 0):
                while not prims.mbarrier_try_wait_parity(free, (k - 1) & 1):
                    pass
            row[t] = a[t + 64 * k]
            cute.arch.sync_warp()
            if lane == 0:
                prims.mbarrier_arrive(full)
        else:
            prims.fence_proxy(prims.Proxy.ASYNC_SHARED, space=prims.SharedSpace.shared_cta)
            while not prims.mbarrier_try_wait_parity(full, k & 1):
                pass
            cute.arch.sync_warp()
            if lane == 0:
                prims.cp_async_bulk_global_shared_cta(b.iterator.raw_ptr() + 64 * k, row, 256)
                prims.cp_async_bulk_commit_group()
                prims.cp_async_bulk_wait_group(0)
                prims.mbarrier_arrive(free)
            cute.arch.sync_warp()


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    staged(a, b).launch(grid=(1, 1, 1), block=(96, 1, 1))
