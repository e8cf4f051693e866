@cute.kernel
def leader_resets(arrived, blocks):
    bidx, _, _ = cute.arch.block_idx()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.atomic_add(arrived, 1, sem="release", scope="gpu")
        while cute.arch.load(arrived, Int32, sem="acquire", scope="gpu") < blocks:
            pass
        if bidx == 0:
            cute.arch.atomic_exch(arrived, 0, sem="release", scope="gpu")  # want FP504 "while others may still poll it"


@cute.kernel
def last_resets(arrived, blocks):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.atomic_add(arrived, 1, sem="release", scope="gpu")
        while cute.arch.load(arrived, Int32, sem="acquire", scope="gpu") < blocks:
            pass
        left = cute.arch.atomic_add(arrived, 1, sem="acq_rel", scope="gpu")
        if left == 2 * blocks - 1:
            cute.arch.atomic_exch(arrived, 0, sem="release", scope="gpu")
