# The stride is data: what an index leaves divided by the number of threads is not known.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 96


@cute.kernel
def staged(a: cute.Tensor, steps: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(1024))
    i = Int32(t)
    while i < n:
        s[i] = a[t]
        i += steps[t]
    cute.arch.barrier()
    b[t] = s[t]


@cute.jit
def main(a: cute.Tensor, steps: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, steps, b, n).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
