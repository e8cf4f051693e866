@cute.kernel
def narrow_fence(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        data[0] = 1
        cute.arch.fence_acq_rel_cta()  # want FP302 "fence before flag .ready. has scope .cta."
        cute.arch.atomic_add(ready, 1, sem="relaxed", scope="gpu")
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass


@cute.kernel
def wide_fence(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        data[0] = 1
        cute.arch.fence_acq_rel_gpu()
        cute.arch.atomic_add(ready, 1, sem="relaxed", scope="gpu")
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass


@cute.kernel
def narrow_write(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        cute.arch.atomic_add(ready, 1, sem="release", scope="cta")  # want FP302 "written with scope .cta. but polled with a wider one"
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass
