# The row that is read turns by thirds: who reads the first one in round 2 meets round 3, which waits.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(192))
    for i in cutlass.range(n):
        s[t] = a[t]
        cute.arch.barrier()
        b[t] += s[((i + 1) % 3) * 64 + (t + i) % 64]
        cute.arch.barrier()


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
