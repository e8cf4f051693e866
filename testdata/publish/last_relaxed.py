# The ticket is taken without a fence before it.
# expect: stale
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def total_of(parts: cute.Tensor, finished: cute.Tensor, total: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    gdim, _, _ = cute.arch.grid_dim()
    smem = cutlass.utils.SmemAllocator()
    order = smem.allocate_tensor(Int32, cute.make_layout(1))
    parts[bidx, tidx] = Float32(1.0) * tidx
    cute.arch.sync_threads()
    if tidx == 0:
        order[0] = cute.arch.atomic_add(finished.iterator, 1)  # want FP304
        cute.arch.fence_acq_rel_gpu()
    cute.arch.sync_threads()
    if order[0] == gdim - 1:
        acc = Float32(0.0)
        for b in cutlass.range(gdim):
            acc += parts[b, tidx]
        total[tidx] = acc
