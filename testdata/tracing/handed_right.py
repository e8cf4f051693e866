# Each warp hands the object to the helper of its role, whose loop carries it: the branch of the kernel changes nothing.
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
def produce(full, empty, state, n):
    for i in cutlass.range(n):
        cute.arch.mbarrier_wait(empty, state.phase ^ 1)
        cute.arch.mbarrier_arrive(full)
        state.turn()


@cute.jit
def consume(full, empty, state, n):
    for i in cutlass.range(n):
        cute.arch.mbarrier_wait(full, state.phase)
        cute.arch.mbarrier_arrive(empty)
        state.turn()


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
    state = Turn(Int32(0))
    if warp == 0:
        with cute.arch.elect_one():
            produce(full, empty, state, n)
    else:
        with cute.arch.elect_one():
            consume(full, empty, state, n)


@cute.jit
def run(smem: cutlass.Constexpr, n: Int32):
    exchange(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
