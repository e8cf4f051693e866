@cute.kernel
def no_barrier(data, ready):
    tidx, _, _ = cute.arch.thread_idx()
    data[tidx] = 7
    if tidx == 0:
        cute.arch.atomic_add(ready, 1, sem="release", scope="gpu")  # want FP305 "one thread publishes .ready. for its CTA without a barrier"
    while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") < 4:
        pass


@cute.kernel
def with_barrier(data, ready):
    tidx, _, _ = cute.arch.thread_idx()
    data[tidx] = 7
    cute.arch.sync_threads()
    if tidx == 0:
        cute.arch.atomic_add(ready, 1, sem="release", scope="gpu")
    while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") < 4:
        pass


@cute.kernel
def own_data(data, ready):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        data[0] = 7
        cute.arch.atomic_add(ready, 1, sem="release", scope="gpu")
    while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") < 4:
        pass
