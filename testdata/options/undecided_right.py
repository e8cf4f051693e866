# An arm that the default leaves out stores each lane its element, and meets twice.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 128


class Spread:
    def __init__(self, sorted_first: bool = False):
        self.sorted_first = sorted_first

    @cute.jit
    def __call__(self, source: cute.Tensor, places: cute.Tensor, out: cute.Tensor):
        self.kernel(source, places, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Tensor, places: cute.Tensor, out: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        smem = cutlass.utils.SmemAllocator()
        row = smem.allocate_tensor(Float32, cute.make_layout(THREADS))
        if cutlass.const_expr(self.sorted_first):
            row[THREADS - 1 - tid] = source[tid]
            cute.arch.sync_threads()
        else:
            row[tid] = source[tid]
        cute.arch.sync_threads()
        out[tid] = row[THREADS - 1 - tid]
