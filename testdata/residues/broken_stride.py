# Rounds are of half as many elements as there are threads: what thread 32 fills first thread 0 fills next.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 64


@cute.kernel
def staged(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(1024))
    i = Int32(t)
    while i < n:
        s[i] = a[t]
        i += THREADS // 2
    cute.arch.barrier()
    b[t] = s[t]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, b, n).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
