# Four warps read what others store in tensor memory without a barrier between.
# expect: inconclusive
# reason: whether both of these happen is not known
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

COLUMNS = 128


@cute.kernel
def beside(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.warp_idx()
    slot = cutlass.Array(cutlass.Int32, 1, space=cutlass.AddressSpace.smem)
    if warp == 0:
        prims.tcgen05_alloc(slot, COLUMNS)
    prims.barrier_cta_sync(0)
    base = prims.TmemAddr(slot.load())
    row = base.row_id + 32 * (warp % 4)
    there = prims.TmemAddr.from_row_col(row, base.col_id + 32).as_ptr(cutlass.Float32)
    if warp < 4:
        prims.tcgen05_st("32x32b", there, cutlass.full([32], 1.0, dtype=cutlass.Float32))
        prims.tcgen05_wait("store")
    if warp >= 4:
        values = prims.tcgen05_ld("32x32b", there, num=32)
        prims.tcgen05_wait("load")
        out[tid] = values[0]
    prims.barrier_cta_sync(0)
    if warp == 0:
        prims.tcgen05_dealloc(prims.make_tmem_ptr(slot.load(), cutlass.Float32), COLUMNS)


@cute.jit
def host(out: cute.Tensor):
    beside(out).launch(grid=(1, 1, 1), block=(256, 1, 1))
