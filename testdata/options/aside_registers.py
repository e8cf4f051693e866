# An arm that nothing runs, and that only accesses registers.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


class Rows:
    def __init__(self, mode: int = 0):
        self.mode = mode

    @cute.jit
    def __call__(self, source: cute.Tensor, out: cute.Tensor):
        self.kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Tensor, out: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        kept = cute.make_rmem_tensor((4,), Float32)
        kept[0] = source[tid]
        if cutlass.const_expr(str(self.mode) == "17"):
            kept[0] = kept[0] * 2
        out[tid] = kept[0]
