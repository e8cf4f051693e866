# As value_broken.py, with another barrier instead of another parity.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int64


class Rows:
    def __init__(self, mode: int = 0):
        self.mode = mode

    @cute.jit
    def __call__(self, source: cute.Tensor, out: cute.Tensor):
        self.kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Tensor, out: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        bars = cute.arch.alloc_smem(Int64, 2)
        if tid == 0:
            cute.arch.mbarrier_init(bars, 64)
            cute.arch.mbarrier_init(bars + 1, 64)
        cute.arch.sync_threads()
        stage = 1 if cutlass.const_expr(self.mode == 17) else 0
        cute.arch.mbarrier_arrive(bars + stage)
        cute.arch.mbarrier_wait(bars + stage, 0)
        out[tid] = source[tid]
