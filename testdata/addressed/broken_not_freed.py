# The tensor memory is not given back.
# expect: holds open=lifetime
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

ROWS = 128
DEPTH = 64
STEPS = 4


@cute.kernel
def product(left: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.warp_idx()
    a = cutlass.Array(cutlass.Float16, ROWS * DEPTH, space=cutlass.AddressSpace.smem, alignment=1024)
    b = cutlass.Array(cutlass.Float16, ROWS * DEPTH, space=cutlass.AddressSpace.smem, alignment=1024)
    done = cutlass.Array(cutlass.Int64, 1, space=cutlass.AddressSpace.smem, alignment=8)
    slot = cutlass.Array(cutlass.Int32, 1, space=cutlass.AddressSpace.smem)
    if tid == 0:
        prims.mbarrier_init(done, 1)
    prims.fence_mbarrier_init()
    if warp == 0:
        prims.tcgen05_alloc(slot, 256)
    for i in cutlass.range_constexpr(8):
        a[tid * DEPTH + i] = left[tid, i]
        b[tid * DEPTH + i] = left[tid, i]
    prims.fence_proxy(prims.Proxy.ASYNC_SHARED, space=prims.SharedSpace.shared_cta)
    prims.barrier_cta_sync(0)
    base = slot.load()
    sums = prims.make_tmem_ptr(base, cutlass.Float32)
    shape = prims.Tcgen05InstrDesc.build(
        c_dtype=cutlass.Float32, a_dtype=cutlass.Float16, b_dtype=cutlass.Float16, n_dim=ROWS, m_dim=ROWS
    )
    if warp == 0:
        first = prims.Tcgen05SmemDesc.build(start_address=a, stride_byte_offset=1024, layout=prims.Tcgen05SmemSwizzle.SWIZZLE_128B)
        second = prims.Tcgen05SmemDesc.build(start_address=b, stride_byte_offset=1024, layout=prims.Tcgen05SmemSwizzle.SWIZZLE_128B)
        if prims.elect_sync():
            for k in cutlass.range_constexpr(STEPS):
                prims.tcgen05_mma(
                    prims.Tcgen05MMAKind.F16, prims.CTAGroup.CTA_1, sums,
                    first.advance_start_address(32 * k), second.advance_start_address(32 * k), shape, k > 0,
                )
            prims.tcgen05_commit(done)
    while not prims.mbarrier_try_wait_parity(done, 0):
        pass
    part = cutlass.inttoptr((((base >> 16) + 32 * warp) << 16) | (base & 0xFFFF), 6, cutlass.Float32)
    values = prims.tcgen05_ld("32x32b", part, num=32)
    prims.tcgen05_wait(prims.Tcgen05Wait.LOAD)
    out[tid, 0] = values[0]
    prims.tcgen05_fence(prims.Tcgen05Fence.BEFORE_THREAD_SYNC)
    prims.barrier_cta_sync(0)

@cute.jit
def host(left: cute.Tensor, out: cute.Tensor):
    product(left, out).launch(grid=(1, 1, 1), block=(ROWS, 1, 1))
