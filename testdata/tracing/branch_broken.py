# A helper notes the last round in a list under a run-time if: traced once, every round is the last.
# expect: inconclusive
# reason: changed once
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64


def note(last):
    last[0] = 1


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
    last = [0]
    if warp == 0:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(empty, (i & 1) ^ 1)
                cute.arch.mbarrier_arrive(full)
                if i == n - 1:
                    note(last)
                if last[0] == 0:
                    cute.arch.sync_warp()
    else:
        with cute.arch.elect_one():
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(full, (i & 1))
                cute.arch.mbarrier_arrive(empty)
                if i == n - 1:
                    note(last)
                if last[0] == 0:
                    cute.arch.sync_warp()


@cute.jit
def run(smem: cutlass.Constexpr, n: Int32):
    exchange(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
