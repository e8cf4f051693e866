# As sorted.py, with no barrier behind the sort: what other threads read may be moved still.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def ordered(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Int32, cute.make_layout(64))
    s[t] = a[t]
    cute.arch.barrier()
    if t == 0:
        i = Int32(1)
        while i < n:
            key = s[i]
            p = i - 1
            while (p >= 0) and (s[p] > key):
                s[p + 1] = s[p]
                p -= 1
            s[p + 1] = key
            i += 1
    b[t] = s[t]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    ordered(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
