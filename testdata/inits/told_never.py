# As told_right.py, without the fence.
# expect: holds open=order
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int64


@cute.kernel
def kernel(out: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
    smem = cutlass.utils.SmemAllocator()
    arrived = smem.allocate_array(Int64, 1)
    if tidx == 0:
        cute.arch.mbarrier_init(arrived, 1)
    cute.arch.cluster_arrive_relaxed()
    cute.arch.cluster_wait()
    if tidx == 0:
        cute.arch.mbarrier_arrive(arrived, rank ^ 1, scope="cluster")
    cute.arch.mbarrier_wait(arrived, 0)


@cute.jit
def main(out: cute.Tensor):
    kernel(out).launch(grid=(2, 1, 1), block=(64, 1, 1), cluster=(2, 1, 1))
