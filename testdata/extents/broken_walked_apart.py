# One warp hands tiles of a to another, which takes as many as b has: they hang where the extents differ, which nothing says they do not.
# expect: warned deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64

STAGES = 2


@cute.kernel
def hand_on(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = cutlass.utils.SmemAllocator()
    tile = smem.allocate_tensor(Float32, cute.make_layout((32, STAGES)))
    full = smem.allocate_array(Int64, STAGES)
    empty = smem.allocate_array(Int64, STAGES)
    if tid == 0:
        for s in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + s, 32)
            cute.arch.mbarrier_init(empty + s, 32)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    lane = tid % 32
    stage = Int32(0)
    if warp == 0:
        phase = Int32(1)
        for k in cutlass.range(a.shape[0]):
            cute.arch.mbarrier_wait(empty + stage, phase)
            tile[lane, stage] = a[k, lane]
            cute.arch.mbarrier_arrive(full + stage)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1
    else:
        phase = Int32(0)
        total = Float32(0.0)
        for k in cutlass.range(b.shape[0]):
            cute.arch.mbarrier_wait(full + stage, phase)
            total += tile[lane, stage] * b[k, lane]
            cute.arch.mbarrier_arrive(empty + stage)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1
        out[lane] = total


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
    hand_on(a, b, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
