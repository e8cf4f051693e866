# Each thread fills two elements, and the next one begins with the second of them.
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
    for k in cutlass.range(n):
        pair = cute.make_tensor(s.iterator + (k * THREADS + t), cute.make_layout(2))
        pair.store(a[t])
    cute.arch.barrier()
    b[t] = s[t]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, b, n).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
