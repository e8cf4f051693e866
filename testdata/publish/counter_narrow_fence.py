# The fence before the count reaches its own CTA only.
# expect: stale
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def rows_then_sum(rows: cute.Pointer, done: cute.Pointer, out: cute.Pointer, producers: Int32):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    bdim, _, _ = cute.arch.block_dim()
    if bidx < producers:
        rows[bidx * bdim + tidx] = Float32(1.0) * tidx
        cute.arch.sync_threads()
        if tidx == 0:
            cute.arch.fence_acq_rel_cta()  # want FP302
            cute.arch.atomic_add(done, 1, sem="relaxed", scope="gpu")
    else:
        if tidx == 0:
            while cute.arch.load(done, Int32, sem="acquire", scope="gpu") < producers:
                pass
        cute.arch.sync_threads()
        total = Float32(0.0)
        for row in cutlass.range(producers):
            total += rows[row * bdim + tidx]
        out[tidx] = total
