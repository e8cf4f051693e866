# The wait is left to a function of the DSL that no table knows.
# expect: inconclusive
# reason: call of cutlass.cute.arch.settle
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int32, Int64


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    row = smem.allocate_tensor(Float32, cute.make_layout(32))
    gate = smem.allocate_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(gate, 32)
    cute.arch.sync_threads()
    if tid < 32:
        x = cute.arch.fmax(a[tid], 0.0)
        x = x + cute.arch.shuffle_sync_bfly(x, offset=1)
        row[tid] = cute.math.exp2(x)
        cute.arch.mbarrier_arrive(gate)
    else:
        cute.arch.settle(gate, 0)
        b[tid - 32] = cute.arch.rcp_approx(row[63 - tid])


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    kernel(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
