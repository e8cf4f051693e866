# In each round a thread also reads what its neighbour fills in some round, with no barrier between.
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
    value = Float32(0.0)
    for k in cutlass.range(t, n, THREADS):
        s[k] = a[k]
        value += s[k + 1]
    b[t] = value


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, b, n).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
