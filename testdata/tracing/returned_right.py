# A helper turns its own phase and gives it back: the second call goes on where the first one ended.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64


class Turn:
    def __init__(self, phase):
        self.phase = phase

    def turn(self):
        self.phase = self.phase ^ 1

    def __extract_mlir_values__(self):
        return cutlass.extract_mlir_values(self.phase)

    def __new_from_mlir_values__(self, values):
        return Turn(cutlass.new_from_mlir_values(self.phase, values))


@cute.jit
def produce(full, empty, state):
    for i in cutlass.range(3):
        cute.arch.mbarrier_wait(empty, state.phase ^ 1)
        cute.arch.mbarrier_arrive(full)
        state.turn()
    return state


@cute.jit
def consume(full, empty, state):
    for i in cutlass.range(3):
        cute.arch.mbarrier_wait(full, state.phase)
        cute.arch.mbarrier_arrive(empty)
        state.turn()
    return state


@cute.kernel
def exchange(smem: cutlass.Constexpr):
    tid = cute.arch.thread_idx_x()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    full = smem.alloc_array(Int64, 1)
    empty = smem.alloc_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init(empty, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    state = Turn(Int32(0))
    if warp == 0:
        with cute.arch.elect_one():
            state = produce(full, empty, state)
            state = produce(full, empty, state)
    else:
        with cute.arch.elect_one():
            state = consume(full, empty, state)
            state = consume(full, empty, state)


@cute.jit
def run(smem: cutlass.Constexpr):
    exchange(smem).launch(grid=(1, 1, 1), block=(64, 1, 1))
