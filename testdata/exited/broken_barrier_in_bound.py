# The barrier of the CTA stands inside the check of a bound: the threads beyond it end without it, which hardware may let pass.
# expect: holds open=deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, n: Int32):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    i = bid * 64 + tid
    part = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    if i < n:
        part[tid] = a[i]
        cute.arch.sync_threads()
        b[i] = part[tid]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    kernel(a, b, n).launch(grid=((n + 63) // 64, 1, 1), block=(64, 1, 1))
