@cute.kernel
def one_waits_for_all(counters, ranks, tile):
    tidx, _, _ = cute.arch.thread_idx()
    word = counters.iterator + tile
    if tidx == 0:
        seen = 0
        while seen < ranks:
            seen = cute.arch.load(word.llvm_ptr, Int32, sem="relaxed", scope="gpu")  # want FP303 "one thread spins"
    cute.arch.barrier(barrier_id=1, number_of_threads=128)
    seen = cute.arch.atomic_add(word.llvm_ptr, 1, sem="relaxed", scope="sys")
    copy_tile(seen)


@cute.kernel
def one_acquires_for_all(counters, ranks, tile):
    tidx, _, _ = cute.arch.thread_idx()
    word = counters.iterator + tile
    if tidx == 0:
        seen = 0
        while seen < ranks:
            seen = cute.arch.load(word.llvm_ptr, Int32, sem="acquire", scope="gpu")
    cute.arch.barrier(barrier_id=1, number_of_threads=128)
    copy_tile(0)


@cute.kernel
def value_goes_on(counters, ranks, tile):
    tidx, _, _ = cute.arch.thread_idx()
    word = counters.iterator + tile
    seen = 0
    if tidx == 0:
        while seen < ranks:
            seen = cute.arch.load(word.llvm_ptr, Int32, sem="relaxed", scope="gpu")
    cute.arch.barrier(barrier_id=1, number_of_threads=128)
    copy_tile(seen)
