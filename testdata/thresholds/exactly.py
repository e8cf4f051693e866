# There is one barrier less for seventeen rows, and one is left.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: Int32, m: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(128))
    s[t] = a[t]
    if n != 17:
        cute.arch.barrier()
    cute.arch.barrier()
    b[t] = s[127 - t]


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, n: Int32, m: Int32):
    mirror(a, b, n, m).launch(grid=(1, 1, 1), block=(128, 1, 1))
