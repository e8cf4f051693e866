# The attention whose sums are called done after every key tile, while the correction asks once, at the end.
# expect: violated phase deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute.nvgpu import tcgen05
from cutlass.experimental import primitives as prims

STAGES = 3
TILE = 512
TILE_BYTES = TILE * 4
LOAD = 0
MULTIPLY = 1
STORE = 2
GROUP = 128
QUERIES = 2


@cute.kernel
def attend(q: cute.Pointer, kv: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, key_tiles: Int32):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    queries = smem.alloc_array(Float32, (QUERIES, TILE))
    ring = smem.alloc_array(Float32, (STAGES, TILE))
    growth = smem.alloc_array(Float32, (QUERIES, GROUP))
    q_full = smem.alloc_array(Int64, QUERIES)
    kv_full = smem.alloc_array(Int64, STAGES)
    kv_empty = smem.alloc_array(Int64, STAGES)
    scores = smem.alloc_array(Int64, QUERIES)
    weights = smem.alloc_array(Int64, QUERIES)
    growth_full = smem.alloc_array(Int64, QUERIES)
    growth_empty = smem.alloc_array(Int64, QUERIES)
    corrected = smem.alloc_array(Int64, QUERIES)
    summed = smem.alloc_array(Int64, QUERIES)
    written = smem.alloc_array(Int64, QUERIES)
    if tid == 0:
        for s in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(kv_full + s, 1)
            cute.arch.mbarrier_init(kv_empty + s, 1)
        for h in cutlass.range_constexpr(QUERIES):
            cute.arch.mbarrier_init(q_full + h, 1)
            cute.arch.mbarrier_init(scores + h, 1)
            cute.arch.mbarrier_init(weights + h, GROUP)
            cute.arch.mbarrier_init(growth_full + h, GROUP)
            cute.arch.mbarrier_init(growth_empty + h, GROUP)
            cute.arch.mbarrier_init(corrected + h, GROUP)
            cute.arch.mbarrier_init(summed + h, 1)
            cute.arch.mbarrier_init(written + h, GROUP)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()

    if warp == LOAD:
        with cute.arch.elect_one():
            for h in cutlass.range_constexpr(QUERIES):
                cute.arch.mbarrier_arrive_and_expect_tx(q_full + h, TILE_BYTES)
                prims.cp_async_bulk_shared_cluster_global(queries[h], q + h * TILE, q_full + h, TILE_BYTES)
            for n in cutlass.range(2 * key_tiles):
                stage = n % STAGES
                cute.arch.mbarrier_wait(kv_empty + stage, ((n // STAGES) + 1) & 1)
                cute.arch.mbarrier_arrive_and_expect_tx(kv_full + stage, TILE_BYTES)
                prims.cp_async_bulk_shared_cluster_global(ring[stage], kv + n * TILE, kv_full + stage, TILE_BYTES)
    elif warp == MULTIPLY:
        with cute.arch.elect_one():
            for h in cutlass.range_constexpr(QUERIES):
                cute.arch.mbarrier_wait(q_full + h, 0)
            for k in cutlass.range(key_tiles):
                keys = (2 * k) % STAGES
                values = (2 * k + 1) % STAGES
                cute.arch.mbarrier_wait(kv_full + keys, ((2 * k) // STAGES) & 1)
                for h in cutlass.range_constexpr(QUERIES):
                    tcgen05.commit(scores + h)
                tcgen05.commit(kv_empty + keys)
                cute.arch.mbarrier_wait(kv_full + values, ((2 * k + 1) // STAGES) & 1)
                for h in cutlass.range_constexpr(QUERIES):
                    cute.arch.mbarrier_wait(corrected + h, k & 1)
                    cute.arch.mbarrier_wait(weights + h, k & 1)
                tcgen05.commit(kv_empty + values)
                for h in cutlass.range_constexpr(QUERIES):
                    tcgen05.commit(summed + h)
    elif warp == STORE:
        for h in cutlass.range_constexpr(QUERIES):
            cute.arch.mbarrier_wait(written + h, 0)  # want FP120
            with cute.arch.elect_one():
                prims.cp_async_bulk_global_shared_cta(out + h * TILE, queries[h], TILE_BYTES)
                cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)
    elif warp >= 4 and warp < 12:
        h = (warp - 4) // 4
        for k in cutlass.range(key_tiles):
            cute.arch.mbarrier_wait(scores + h, k & 1)
            cute.arch.mbarrier_wait(growth_empty + h, (k & 1) ^ 1)
            growth[h, tid % GROUP] = Float32(1.0)
            cute.arch.mbarrier_arrive(growth_full + h)
            cute.arch.mbarrier_arrive(weights + h)
    elif warp >= 12:
        for k in cutlass.range(key_tiles):
            for h in cutlass.range_constexpr(QUERIES):
                cute.arch.mbarrier_wait(growth_full + h, k & 1)
                factor = growth[h, tid % GROUP]
                cute.arch.mbarrier_arrive(growth_empty + h)
                cute.arch.mbarrier_arrive(corrected + h)
        for h in cutlass.range_constexpr(QUERIES):
            cute.arch.mbarrier_wait(summed + h, 0)
            queries[h, tid % GROUP] = Float32(0.0)
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.mbarrier_arrive(written + h)


@cute.jit
def main(q: cute.Pointer, kv: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, key_tiles: Int32):
    attend(q, kv, out, smem, key_tiles).launch(grid=(1, 1, 1), block=(4 * GROUP, 1, 1))
