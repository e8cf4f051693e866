import cutlass.cute as cute


@cute.kernel
def mean(total: cute.Pointer, out: cute.Pointer, n: int):
    bidx, _, _ = cute.arch.block_idx()
    tidx, _, _ = cute.arch.thread_idx()
    cute.arch.atomic_add(total, 1, sem="relaxed", scope="gpu")
    cute.arch.sync_threads()
    if bidx == 0:
        out[tidx] = total[0] // n  # want FP308 "may still add to it"


@cute.kernel
def own(totals: cute.Pointer, out: cute.Pointer, n: int):
    bidx, _, _ = cute.arch.block_idx()
    tidx, _, _ = cute.arch.thread_idx()
    cute.arch.atomic_add(totals + bidx, 1, sem="relaxed", scope="gpu")
    cute.arch.sync_threads()
    out[bidx] = totals[bidx] // n
