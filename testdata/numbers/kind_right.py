# A helper exchanges one number through shared memory, or a pair of them: which is for the host to say, whose default is one.
# expect: holds
# small: -
# configuration: width=2
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.experimental import primitives as prims

THREADS = 128


@cute.jit
def reversed_row(value, row):
    tid = cute.arch.thread_idx_x()
    if cutlass.const_expr(isinstance(value, tuple)):
        row[tid] = value[0]
        row[THREADS + tid] = value[1]
        cute.arch.sync_threads()
        return row[THREADS - 1 - tid] + row[2 * THREADS - 1 - tid]
    row[tid] = value
    cute.arch.sync_threads()
    return row[THREADS - 1 - tid]


class Reverse:
    def __init__(self, width: int = 1):
        self.width = width
        self.pairs = width > 1

    @cute.jit
    def __call__(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        self.kernel(source, out, smem).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        row = smem.alloc_array(Float32, 2 * THREADS)
        value = cute.full((4,), 0.0, Float32).reduce(cute.ReductionOp.ADD, 0.0, 0)
        if cutlass.const_expr(self.pairs):
            out[tid] = reversed_row((value, value), row)
        else:
            out[tid] = reversed_row(value, row)
