# An arm that the default leaves out writes what other threads may still read.
# expect: violated race
# small: -
# configuration: mode=17
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
        row = cute.arch.alloc_smem(Float32, 64)
        row[tid] = source[tid]
        cute.arch.sync_threads()
        total = row[63 - tid]
        if cutlass.const_expr(self.mode == 17):
            row[tid] = total + 1
        out[tid] = total + row[tid]
