# Rows of several lengths, of which few need what a flag chooses: with the flag off and rows of some lengths only does a helper add up over
# warps, and that in two ways, of which the length says which.
# expect: holds
# small: -
# configuration: columns=2048, one_pass=False
# configuration: columns=65536, one_pass=False
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.experimental import primitives as prims

WARP = 32


@cute.jit
def added(total, sums, spare, warps: cutlass.Constexpr):
    tid = cute.arch.thread_idx_x()
    if cutlass.const_expr(spare is None):
        sums[tid] = total
        cute.arch.sync_threads()
        for w in cutlass.range_constexpr(1, warps):
            total += sums[(w * WARP + tid) % (warps * WARP)]
    else:
        spare[tid] = total
        cute.arch.sync_threads()
        for w in cutlass.range_constexpr(1, warps):
            total += spare[(w * WARP + tid) % (warps * WARP)]
    return total


class RowSum:
    def __init__(self, columns: int, one_pass: bool = True):
        self.columns = columns
        self.one_pass = one_pass

    def _warps(self):
        if self.columns <= 1024:
            return 1
        if self.columns <= 2048:
            return 2
        if self.columns <= 4096:
            return 3
        if self.columns <= 8192:
            return 4
        if self.columns <= 16384:
            return 5
        if self.columns <= 32768:
            return 6
        return 8

    @cute.jit
    def __call__(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        self.warps = self._warps()
        self.kernel(source, out, smem).launch(grid=(1, 1, 1), block=(WARP * self.warps, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        sums = smem.alloc_array(Float32, WARP * self.warps)
        spare = None
        if cutlass.const_expr(self.warps > 6):
            spare = smem.alloc_array(Float32, WARP * self.warps)
        total = Float32(0.0)
        for i in cutlass.range(self.columns // (WARP * self.warps)):
            total += source[i * WARP * self.warps + tid]
        if cutlass.const_expr(self.warps > 1 and not self.one_pass):
            total = added(total, sums, spare, self.warps)
        if tid < WARP:
            out[tid] = total


def run(source, out, columns):
    cute.compile(RowSum(columns), source, out, prims.SmemAllocator())


if __name__ == "__main__":
    run(None, None, 128)
