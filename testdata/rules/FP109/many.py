@cute.kernel
def whole_cta():
    full = smem.alloc_mbarrier()
    cute.arch.mbarrier_init(full, 1)  # want FP109 "initialised by every thread of the CTA"
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()


@cute.kernel
def whole_warp():
    full = smem.alloc_mbarrier(4)
    warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp_idx == 0:
        for i in range(4):
            cute.arch.mbarrier_init(full + i, 1)  # want FP109 "every lane of a warp"
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()


@cute.kernel
def one_each():
    full = smem.alloc_mbarrier(32)
    tidx, _, _ = cute.arch.thread_idx()
    if tidx < 32:
        cute.arch.mbarrier_init(full + tidx, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()


@cute.kernel
def elected():
    full = smem.alloc_mbarrier()
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0 and cute.arch.elect_one():
        cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()


@cute.kernel
def single_thread_block():
    full = smem.alloc_mbarrier()
    cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()


@cute.jit
def host():
    single_thread_block().launch(grid=(1, 1, 1), block=(1, 1, 1))
