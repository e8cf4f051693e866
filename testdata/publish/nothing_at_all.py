# Neither barriers nor order.
# expect: stale
import cutlass
import cutlass.cute as cute


@cute.kernel
def nothing(rows: cute.Pointer, done: cute.Pointer, out: cute.Pointer):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        rows[tidx] = 1
        if tidx == 0: cute.arch.atomic_add(done, 1)  # want FP305
    else:
        if tidx == 0:
            while cute.arch.load(done, cutlass.Int32, sem="relaxed", scope="gpu") == 0: pass  # want FP307
        out[tidx] = rows[tidx]
