# All threads wait for the commit behind the last ones: that these have arrived then PTX does not say, and no machine shows otherwise (a warning).
# expect: warned lifetime
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05
from cutlass.experimental import primitives as prims

STAGES = 3
TRIPS = 7
THREADS = 128
HALF = 4096


@cute.kernel
def pair(source: cute.Tensor, smem: cutlass.Constexpr):
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    column, _, _ = cute.arch.block_idx()
    leads = column % 2 == 0
    full = smem.alloc_mbarrier(STAGES)
    empty = smem.alloc_mbarrier(STAGES)
    done = smem.alloc_mbarrier(1)
    stages = smem.alloc_array(cutlass.Float16, STAGES)
    if warp == 0:
        with cute.arch.elect_one():
            for s in cutlass.range_constexpr(STAGES):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, 1)
            cute.arch.mbarrier_init(done, 1)
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
                prims.cp_async_bulk_tensor_shared_cluster_global(
                    stages + s, source, (i, rank), full + s, multicast_mask=1 << rank, group=prims.CTAGroup.CTA_2
                )
    if warp == 1 and leads:
        for i in range(TRIPS):
            s = i % STAGES
            cute.arch.mbarrier_wait(full + s, i // STAGES % 2)
            with cute.arch.elect_one():
                tcgen05.commit(empty + s, 3, tcgen05.CtaGroup.TWO)
        with cute.arch.elect_one():
            tcgen05.commit(done, 3, tcgen05.CtaGroup.TWO)
    cute.arch.mbarrier_wait(done, 0)


@cute.jit
def main(source: cute.Tensor, smem: cutlass.Constexpr):
    pair(source, smem).launch(grid=(8, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
