# The bound is checked around the work only, and all threads come to the barrier.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, n: Int32):
    tid, _, _ = cute.arch.thread_idx()
    part = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    if tid < n:
        part[tid] = a[tid]
    cute.arch.sync_threads()
    if tid < n:
        b[tid] = part[0]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    kernel(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
