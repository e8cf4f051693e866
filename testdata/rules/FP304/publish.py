@cute.kernel
def relaxed(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        data[0] = 7
        cute.arch.atomic_add(ready, 1)  # want FP304 "flag .ready. is written with relaxed order after data"
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass


@cute.kernel
def release(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        data[0] = 7
        cute.arch.atomic_add(ready, 1, sem="release", scope="gpu")
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass


@cute.kernel
def no_data_before(data, ready):
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        cute.arch.atomic_add(ready, 1)
        data[0] = 7
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:
            pass
