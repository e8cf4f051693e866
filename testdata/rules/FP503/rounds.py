@cute.kernel
def in_a_loop(arrived, rounds, blocks):
    tidx, _, _ = cute.arch.thread_idx()
    for i in range(rounds):
        if tidx == 0:
            cute.arch.atomic_add(arrived, 1, sem="release", scope="gpu")
            while cute.arch.load(arrived, Int32, sem="acquire", scope="gpu") != (i + 1) * blocks:  # want FP503 "the very value"
                pass
        cute.arch.sync_threads()


@cute.kernel
def at_least(arrived, rounds, blocks):
    tidx, _, _ = cute.arch.thread_idx()
    for i in range(rounds):
        if tidx == 0:
            cute.arch.atomic_add(arrived, 1, sem="release", scope="gpu")
            while cute.arch.load(arrived, Int32, sem="acquire", scope="gpu") < (i + 1) * blocks:
                pass
        cute.arch.sync_threads()
