WARPS = 3


@cute.kernel
def rounds_down():
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, WARPS // 4)  # want FP107 "initialised for 0 arrivals; expected 1 to 1048575"


@cute.kernel
def unknown_count(count):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, count // 4)
