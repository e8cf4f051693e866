# A list that grows while Python unrolls a loop is what it says.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64


@cute.kernel
def exchange(smem: cutlass.Constexpr, n: Int32):
    tid = cute.arch.thread_idx_x()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    full = smem.alloc_array(Int64, 1)
    empty = smem.alloc_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init(empty, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    phases = []
    for k in cutlass.range_constexpr(2):
        phases.append(k)
    phase = Int32(phases[0])
    if warp == 0:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(empty, phase ^ 1)
                cute.arch.mbarrier_arrive(full)
                phase ^= Int32(phases[1])
    else:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(full, phase)
                cute.arch.mbarrier_arrive(empty)
                phase ^= Int32(phases[1])


@cute.jit
def run(smem: cutlass.Constexpr, n: Int32):
    exchange(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
