# A loop that is unrolled as often as a has rows waits for a stage in each round and gives none back before its end: it hangs where there are
# more rows than stages, which is known when the kernel is compiled (a warning).
# expect: warned deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int64

STAGES = 2


@cute.kernel
def collect(a: cute.Tensor, out: cute.Tensor):
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
    if warp == 0:
        for k in cutlass.range_constexpr(a.shape[0]):
            cute.arch.mbarrier_wait(empty + k % STAGES, (k // STAGES + 1) % 2)
            tile[lane, k % STAGES] = a[k, lane]
            cute.arch.mbarrier_arrive(full + k % STAGES)
    else:
        total = Float32(0.0)
        for k in cutlass.range_constexpr(a.shape[0]):
            cute.arch.mbarrier_wait(full + k % STAGES, k // STAGES % 2)
            total += tile[lane, k % STAGES]
        for k in cutlass.range_constexpr(a.shape[0]):
            cute.arch.mbarrier_arrive(empty + k % STAGES)
        out[lane] = total


@cute.jit
def main(a: cute.Tensor, out: cute.Tensor):
    collect(a, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
