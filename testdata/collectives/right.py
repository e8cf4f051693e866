# The lanes of both warps reduce a value in each of as many rounds as the caller says; thread 0 then goes on alone, as often,
# with an mbarrier.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int32, Int64


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, rounds: Int32):
    tid, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    gate = smem.allocate_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(gate, 1)
    cute.arch.sync_threads()
    total = Float32(0.0)
    for i in cutlass.range(rounds):
        total = total + cute.arch.warp_reduction_sum(a[i * 64 + tid])
    cute.arch.sync_threads()
    if tid == 0:
        for i in cutlass.range(rounds):
            cute.arch.mbarrier_arrive(gate)
            cute.arch.mbarrier_wait(gate, i % 2)
        b[0] = total


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, rounds: Int32):
    kernel(a, b, rounds).launch(grid=(1, 1, 1), block=(64, 1, 1))
