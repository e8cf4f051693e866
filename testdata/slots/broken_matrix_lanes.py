# A warp loads the rows of two matrices, and others write elements of the second.
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
    if tid < 32:
        prims.ldmatrix(kept.data_ptr() + tid * ROW, 2, prims.MMALayout.ROW)
    if tid >= 40:
        kept[(tid - 32) * ROW + 1] = out[tid]


@cute.jit
def run(out: cute.Tensor):
    mirror(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
