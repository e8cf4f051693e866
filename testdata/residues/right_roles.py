# Two warps fill one table: the rounds of each go on from its own half of as many elements as both have.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def staged(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(1024))
    if warp == 0:
        for k in cutlass.range(t, n, 64):
            s[k] = a[t]
    else:
        for k in cutlass.range(t, n, 64):
            s[k] = 0.0
    cute.arch.barrier()
    value = Float32(0.0)
    for k in cutlass.range(t ^ 1, n, 64):
        value += s[k]
    b[t] = value


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    staged(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
