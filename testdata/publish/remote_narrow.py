# The arrival is for its own CTA.
# expect: stale
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int64


@cute.kernel
def swap(boxes: cute.Pointer, out: cute.Pointer):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    bdim, _, _ = cute.arch.block_dim()
    smem = cutlass.utils.SmemAllocator()
    arrived = smem.allocate_array(Int64, 1)
    if tidx == 0:
        cute.arch.mbarrier_init(arrived, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    boxes[bidx * bdim + tidx] = Float32(7.0)
    cute.arch.sync_threads()
    if tidx == 0:
        cute.arch.mbarrier_arrive(arrived, bidx ^ 1, scope="cta")  # want FP301
    cute.arch.mbarrier_wait(arrived, 0)
    out[tidx] = boxes[(bidx ^ 1) * bdim + tidx]
