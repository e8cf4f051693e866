@cute.kernel
def no_fence(tma_atom, src, dst):
    full = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(full, 1)  # want FP108 "mbarrier .full. is initialised without a fence"
    cute.arch.sync_threads()
    cute.copy(tma_atom, src, dst, tma_bar_ptr=full)


@cute.kernel
def fenced(tma_atom, src, dst):
    full = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    cute.copy(tma_atom, src, dst, tma_bar_ptr=full)


@cute.kernel
def copy_partitioned(tma_atom, src, dst):
    full = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(full, 1)  # want FP108 "mbarrier .full. is initialised without a fence"
    cute.arch.sync_threads()
    part = cpasync.tma_partition(tma_atom, 0, cute.make_layout(1), src)
    cute.copy(tma_atom, part, dst, tma_bar_ptr=full)


@cute.kernel
def threads_only(n):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, 128)
    cute.arch.sync_threads()
    cute.arch.mbarrier_arrive(done)
    cute.arch.mbarrier_wait(done, 0)


def set_up(bar):
    cute.arch.mbarrier_init(bar, 1)
    cute.arch.mbarrier_init_fence()


@cute.kernel
def fenced_in_a_helper(tma_atom, src, dst):
    full = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        set_up(full)
    cute.arch.sync_threads()
    cute.copy(tma_atom, src, dst, tma_bar_ptr=full)
