# A helper carries an object through a loop, and returns it beside the answer of a try_wait.
# expect: holds
# small: n=2
import cutlass
import cutlass.cute as cute
from cutlass import Int32


class State:
    def __init__(self, at):
        self.at = at


@cute.jit
def ahead(bar, state, n):
    for i in cutlass.range(n):
        state.at = state.at + 1
    ok = cute.arch.mbarrier_try_wait(bar, 0)
    return state, ok


@cute.kernel
def kernel(out: cute.Tensor, n: Int32):
    smem = cutlass.utils.SmemAllocator()
    bar = smem.allocate_array(cutlass.Int64, 1)
    t, _, _ = cute.arch.thread_idx()
    if t == 0:
        cute.arch.mbarrier_init(bar, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    state = State(Int32(0))
    state, ok = ahead(bar, state, n)
    if not ok:
        cute.arch.mbarrier_wait(bar, 0)
    out[t] = state.at


@cute.jit
def main(out: cute.Tensor, n: Int32):
    kernel(out, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
