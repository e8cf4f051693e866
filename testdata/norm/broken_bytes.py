# The row norm whose CTAs expect the sums of their own warps only, not those of the whole cluster: four bytes each.
# expect: violated bytes deadlock lifetime race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

WARPS = 4
CTAS = 2
SUM_BYTES = 4


class RowNorm:
    def __init__(self):
        self.warps = WARPS
        self.ctas = CTAS
        self.sums = WARPS * CTAS

    @cute.jit
    def __call__(self, rows: cute.Pointer, smem: cutlass.Constexpr):
        self.kernel(rows, smem).launch(grid=(self.ctas, 1, 1), block=(32 * self.warps, 1, 1), cluster=(self.ctas, 1, 1))

    @cute.kernel
    def kernel(self, rows: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        gate = smem.alloc_mbarrier(2)
        parts = smem.alloc_array(Float32, (2, self.sums))
        if tid == 0:
            for s in cutlass.range_constexpr(2):
                cute.arch.mbarrier_init(gate + s, 1)
            cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive_relaxed()
        cute.arch.cluster_wait()
        value = rows[cute.arch.block_idx_x() * 32 * self.warps + tid]
        mean = self.total(value, gate, parts[0], tid, 0)
        spread = self.total((value - mean) * (value - mean), gate + 1, parts[1], tid, 0)
        rows[cute.arch.block_idx_x() * 32 * self.warps + tid] = (value - mean) * spread

    @cute.jit
    def total(self, value, gate, parts, tid, phase):
        lane = cute.arch.lane_idx()
        warp = cute.arch.warp_idx()
        rank = cute.arch.block_idx_in_cluster()
        value = cute.arch.warp_reduction_sum(value)
        if tid == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(gate, self.warps * SUM_BYTES)
        if lane < self.ctas:
            cute.arch.store_async_dsmem(parts + rank * self.warps + warp, value, gate, lane)  # want FP124
        cute.arch.mbarrier_wait(gate, phase)  # want FP120
        total = Float32(0.0)
        for n in cutlass.range_constexpr(self.sums):
            total += parts[n]
        return total
