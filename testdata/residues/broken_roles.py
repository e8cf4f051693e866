# Two warps fill one table, each of them beginning with its own lane: both have all elements.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def staged(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(1024))
    if t < 32:
        for k in cutlass.range(t, n, 32):
            s[k] = a[t]
    else:
        for k in cutlass.range(t - 32, n, 32):
            s[k] = a[t]
    cute.arch.barrier()
    b[t] = s[t]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
