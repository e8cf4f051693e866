# A multiplication of a warp group with descriptors, whose operand is written again when it is over.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

ROWS = 64


@cute.kernel
def product(left: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    a = cutlass.Array(cutlass.Float16, ROWS * ROWS, space=cutlass.AddressSpace.smem, alignment=128)
    b = cutlass.Array(cutlass.Float16, ROWS * ROWS, space=cutlass.AddressSpace.smem, alignment=128)
    a[tid] = left[tid]
    b[tid] = left[tid]
    prims.fence_proxy(prims.Proxy.ASYNC_SHARED, space=prims.SharedSpace.shared_cta)
    prims.barrier_cta_sync(0)
    first = prims.WgmmaSmemDesc.build(start_address=a, leading_byte_offset=16, stride_byte_offset=1024, layout=1)
    second = prims.WgmmaSmemDesc.build(start_address=b, leading_byte_offset=16, stride_byte_offset=1024, layout=1)
    prims.wgmma_fence_aligned()
    prims.wgmma_mma_async(0, 0, first, second + 2, (64, 64, 16), "f16", "f16", "f32", 1, 1, 1, "row", "col")
    prims.wgmma_commit_group_sync_aligned()
    prims.wgmma_wait_group_sync_aligned(0)
    prims.barrier_cta_sync(0)
    a[tid] = left[tid + 128]
    prims.fence_proxy(prims.Proxy.ASYNC_SHARED, space=prims.SharedSpace.shared_cta)
    prims.barrier_cta_sync(0)
    out[tid] = a[tid ^ 1]


@cute.jit
def host(left: cute.Tensor, out: cute.Tensor):
    product(left, out).launch(grid=(1, 1, 1), block=(128, 1, 1))
