# A warp stores rows of matrices, and others read elements behind the first with no barrier.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

THREADS = 64
ROW = 8


@cute.kernel
def mirror(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cutlass.Array(cutlass.Float16, 32 * ROW, space=cutlass.AddressSpace.smem, alignment=128)
    kept[tid] = cutlass.Float16(tid)
    cute.arch.sync_threads()
    if tid < 32:
        words = prims.ldmatrix(kept.data_ptr() + tid * ROW, 4, prims.MMALayout.ROW)
        cute.arch.sync_warp()
        prims.stmatrix(kept.data_ptr() + tid * ROW, words, prims.MMALayout.ROW)
    if tid >= 32:
        out[tid] = kept[(tid - 32) * ROW + 1]


@cute.jit
def run(out: cute.Tensor):
    mirror(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
