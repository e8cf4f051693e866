# The row of number_right.py, whose length nobody gives.
# expect: holds
# small: -
# configuration: columns=2048
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.experimental import primitives as prims

WARP = 32


class RowSum:
    def __init__(self, columns: int):
        self.columns = columns
        self.warps = 1 if columns <= 1024 else 4

    @cute.jit
    def __call__(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        self.kernel(source, out, smem).launch(grid=(1, 1, 1), block=(WARP * self.warps, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        sums = smem.alloc_array(Float32, WARP * self.warps)
        total = Float32(0.0)
        for i in cutlass.range(self.columns // (WARP * self.warps)):
            total += source[i * WARP * self.warps + tid]
        if cutlass.const_expr(self.warps > 1):
            sums[tid] = total
            cute.arch.sync_threads()
            if warp == 0:
                for w in cutlass.range_constexpr(1, self.warps):
                    total += sums[w * WARP + tid]
        if warp == 0:
            out[tid] = total
