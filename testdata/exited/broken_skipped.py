# The lanes of rows that there are not come to the second sum when the others come to the first, and are gone when these come to the second.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, rows: Int32):
    tid, _, _ = cute.arch.thread_idx()
    row = tid // 8
    x = a[row, tid % 8]
    if row < rows:
        x = cute.arch.warp_reduction_sum(x, threads_in_group=8)
    x = cute.arch.warp_reduction_sum(x, threads_in_group=8)  # want FP120
    b[tid] = x


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, rows: Int32):
    kernel(a, b, rows).launch(grid=(1, 1, 1), block=(32, 1, 1))
