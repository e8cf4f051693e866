# As loads_by_value.py, but each half completes on the barrier of the CTA that loads it: the leader waits for the bytes of both.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05
from cutlass.cute import experimental as cute_ext

STAGES = 3
TRIPS = 7
THREADS = 128
HALF = 4096
KIND = cute_ext.OperationTypeEnum.SM90_TMA_LOAD


@cute.kernel
def pair(source: cute.Tensor, smem: cutlass.Constexpr):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    column, _, _ = cute.arch.block_idx()
    leads = column % 2 == 0
    full = smem.alloc_mbarrier(STAGES)
    empty = smem.alloc_mbarrier(STAGES)
    stages = cute.make_tensor(smem.alloc_array(cutlass.Float16, STAGES * HALF // 2), cute.make_layout((HALF // 2, STAGES)))
    if warp == 0:
        with cute.arch.elect_one():
            for s in cutlass.range_constexpr(STAGES):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, 1)
            cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive_relaxed()
    cute.arch.cluster_wait()
    if warp == 0:
        for i in range(TRIPS):
            s = i % STAGES
            cute.arch.mbarrier_wait(empty + s, (i // STAGES + 1) % 2)
            with cute.arch.elect_one():
                if leads:
                    cute.arch.mbarrier_arrive_and_expect_tx(full + s, 2 * HALF)
            cute_ext.tma_load(
                source[None, i], stages[None, s], (full + s).value, tma_operation_type=KIND, update_expect_tx=False
            )
        for i in range(TRIPS, TRIPS + STAGES):
            cute.arch.mbarrier_wait(empty + i % STAGES, (i // STAGES + 1) % 2)
    if warp == 1 and leads:
        for i in range(TRIPS):
            s = i % STAGES
            cute.arch.mbarrier_wait(full + s, i // STAGES % 2)
            with cute.arch.elect_one():
                tcgen05.commit(empty + s, 3, tcgen05.CtaGroup.TWO)


@cute.jit
def main(source: cute.Tensor, smem: cutlass.Constexpr):
    pair(source, smem).launch(grid=(8, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
