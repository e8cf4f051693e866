# The phase is the number of elements of a list that a helper appends to: traced once, it is the same in every round.
# expect: inconclusive
# reason: changed once
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64


def used(turns):
    turns.append(0)


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
    turns = []
    if warp == 0:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(empty, (len(turns) & 1) ^ 1)
                cute.arch.mbarrier_arrive(full)
                used(turns)
    else:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(full, (len(turns) & 1))
                cute.arch.mbarrier_arrive(empty)
                used(turns)


@cute.jit
def run(smem: cutlass.Constexpr, n: Int32):
    exchange(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
