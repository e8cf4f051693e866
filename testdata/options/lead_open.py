# The arm of lead_broken.py under a test that no number is found for.
# expect: holds open=race,race-grid
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
        row = cute.arch.alloc_smem(Float32, 64)
        at = tid
        if cutlass.const_expr(str(self.mode) == "17"):
            at = 63 - tid
        row[at] = source[tid]
        cute.arch.sync_warp()
        out[tid] = row[tid]
