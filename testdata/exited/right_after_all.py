# Behind a barrier of all threads eight lanes add up a row, and the lanes of rows that there are not leave the kernel.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, rows: Int32):
    tid, _, _ = cute.arch.thread_idx()
    row = tid // 8
    cute.arch.sync_threads()
    if row < rows:
        total = cute.arch.warp_reduction_sum(a[row, tid % 8], threads_in_group=8)
        if tid % 8 == 0:
            b[row] = total


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, rows: Int32):
    kernel(a, b, rows).launch(grid=(1, 1, 1), block=(32, 1, 1))
