# The ring of constexpr_right.py whose consumer never gives a stage back.
# expect: inconclusive
# reason: never used twice
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.experimental import primitives as prims

STAGES = 4
TILE = 64
TILE_BYTES = TILE * 4


@cute.kernel
def stream(source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, k_tiles: cutlass.Constexpr):
    tid = cute.arch.thread_idx_x()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    lane = cute.arch.lane_idx()
    tiles = smem.alloc_array(Float32, (STAGES, TILE))
    full = smem.alloc_array(Int64, STAGES)
    empty = smem.alloc_array(Int64, STAGES)
    if tid == 0:
        for s in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + s, 1)
            cute.arch.mbarrier_init(empty + s, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    stage = Int32(0)
    if warp == 0:
        with cute.arch.elect_one():
            phase = Int32(1)
            for k in cutlass.range(k_tiles):
                cute.arch.mbarrier_wait(empty + stage, phase)
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, TILE_BYTES)
                prims.cp_async_bulk_shared_cluster_global(tiles[stage], source + k * TILE, full + stage, TILE_BYTES)
                stage += 1
                if stage == STAGES:
                    stage = Int32(0)
                    phase ^= 1
    else:
        phase = Int32(0)
        total = Float32(0.0)
        for k in cutlass.range(k_tiles):
            cute.arch.mbarrier_wait(full + stage, phase)
            total += tiles[stage, lane]
            total += tiles[stage, lane + 32]
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1
        out[tid] = total


@cute.jit
def main(source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, k_tiles: cutlass.Constexpr):
    stream(source, out, smem, k_tiles).launch(grid=(1, 1, 1), block=(64, 1, 1))


def run(source, out, smem):
    cute.compile(main, source, out, smem, 4)


if __name__ == "__main__":
    run(None, None, None)
