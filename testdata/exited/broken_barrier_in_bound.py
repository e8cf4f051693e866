# The barrier of the CTA stands inside the check of a bound: the threads beyond it end without it, which hardware may let pass.
# expect: holds open=deadlock
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
        cute.arch.sync_threads()  # want FP403
        b[tid] = part[tid]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    kernel(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
