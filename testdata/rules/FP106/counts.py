@cute.kernel
def everybody_arrives(n):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, 64)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    for i in range(n):
        cute.arch.mbarrier_arrive(done)  # want FP106 "128 arrivals reach .done. in a phase, but it is initialised for 64"
        cute.arch.mbarrier_wait(done, i & 1)


@cute.kernel
def one_for_two(n):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, 2)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    for i in range(n):
        if tidx == 0:
            cute.arch.mbarrier_arrive(done)  # want FP106 "1 arrivals reach"
        cute.arch.mbarrier_wait(done, i & 1)


@cute.kernel
def counted_arrive(n):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, 2)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    for i in range(n):
        if tidx == 0:
            cute.arch.mbarrier_arrive(done, arrive_count=2)
        cute.arch.mbarrier_wait(done, i & 1)


@cute.kernel
def two_sides(n):
    done = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(done, 2)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    for i in range(n):
        if tidx == 0:
            cute.arch.mbarrier_arrive(done)
        if tidx == 32:
            cute.arch.mbarrier_arrive(done)
        cute.arch.mbarrier_wait(done, i & 1)


@cute.kernel
def from_both_ctas(n, peer):
    gate = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.mbarrier_init(gate, 2)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    remote = mapa_shared_cluster(gate, peer)
    for i in range(n):
        if tidx == 0:
            mbarrier_arrive(gate)
            mbarrier_arrive(remote, space="cluster")
        cute.arch.mbarrier_wait(gate, i & 1)


@cute.jit
def host():
    everybody_arrives(3).launch(grid=[1, 1, 1], block=[128, 1, 1])
