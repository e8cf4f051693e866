# The phase is turned over by a nested function, which a run-time loop may not call.
# expect: inconclusive
# reason: which it refuses
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
    phase = 0
    
    def turn():
        nonlocal phase
        phase ^= 1
    
    if warp == 0:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(empty, phase ^ 1)
                cute.arch.mbarrier_arrive(full)
                turn()
    else:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(full, phase)
                cute.arch.mbarrier_arrive(empty)
                turn()


@cute.jit
def run(smem: cutlass.Constexpr, n: Int32):
    exchange(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
