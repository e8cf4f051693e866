# What is computed is handed on through registers or through shared memory: the host chooses, and its default is the former.
# expect: holds
# small: -
# configuration: exchange=REVERSED
import enum

import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.experimental import primitives as prims

THREADS = 128


class Exchange(enum.Enum):
    NONE = enum.auto()
    REVERSED = enum.auto()


class Shift:
    def __init__(self, exchange: Exchange = Exchange.NONE):
        self.exchange = exchange

    @cute.jit
    def __call__(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        self.kernel(source, out, smem).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        row = smem.alloc_array(Float32, THREADS)
        value = source[tid]
        if cutlass.const_expr(self.exchange == Exchange.REVERSED):
            row[tid] = value
            cute.arch.sync_threads()
            value = row[THREADS - 1 - tid]
        out[tid] = value
