@cute.kernel
def before_barrier(word):
    while cute.arch.atomic_cas(word, cmp=0, val=1, sem="acquire", scope="gpu") != 0:  # want FP502 "waits for them at a barrier"
        pass
    cute.arch.sync_warp()
    cute.arch.atomic_exch(word, 0, sem="release", scope="gpu")


@cute.kernel
def no_barrier(word):
    while cute.arch.atomic_cas(word, cmp=0, val=1, sem="acquire", scope="gpu") != 0:  # want FP502 "needs independent"
        pass
    cute.arch.atomic_exch(word, 0, sem="release", scope="gpu")


@cute.kernel
def one_lane(word):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        while cute.arch.atomic_cas(word, cmp=0, val=1, sem="acquire", scope="gpu") != 0:
            pass
        cute.arch.atomic_exch(word, 0, sem="release", scope="gpu")
