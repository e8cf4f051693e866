# The object of the second round of the host has three stages, and that of the first one two: either is enough.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


class Rows:
    def __init__(self, stages):
        self.stages = stages

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
        self.rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def rows(self, a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
        tid, _, _ = cute.arch.thread_idx()
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((64, self.stages)), 16)
        for i in cutlass.range(n):
            s[tid, i % self.stages] = a[i * 64 + tid]
            cute.arch.sync_threads()
            b[i * 64 + tid] = s[63 - tid, i % self.stages]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    for stages in (2, 3):
        Rows(stages)(a, b, n)
