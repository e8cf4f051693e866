# A remainder is no larger than what is divided, for every divisor that a launch may have: zero is none.
# expect: inconclusive
# reason: comes out one way only
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int32


@cute.kernel
def exchange(src: cute.Tensor, dst: cute.Tensor, n: Int32, m: Int32):
    tid, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    buf = smem.allocate_tensor(Float32, cute.make_layout(128), 16)
    acc = Float32(0.0)
    for k in cutlass.range(n):
        buf[tid] = src[tid]
        cute.arch.sync_threads()
        acc += buf[127 - tid]
        if k % m <= k:
            cute.arch.sync_threads()
    dst[tid] = acc


@cute.jit
def host(src: cute.Tensor, dst: cute.Tensor, n: Int32, m: Int32):
    exchange(src, dst, n, m).launch(grid=(1, 1, 1), block=(128, 1, 1))
