# An mbarrier stands behind the numbers that the threads write, in one array with them.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64


@cute.kernel
def kernel(source: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    buf = cute.arch.alloc_smem(Int32, 128)
    bar = buf + 64
    if tid == 0:
        cute.arch.mbarrier_init(bar, 64)
    cute.arch.sync_threads()
    buf[tid] = 7
    cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, 0)
    out[tid] = buf[63 - tid]


@cute.jit
def host(source: cute.Tensor, out: cute.Tensor):
    kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
