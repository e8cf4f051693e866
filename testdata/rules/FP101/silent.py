# Constant phases that are right: nothing here may be reported.
STAGES = 4


@cute.kernel
def once():
    full = smem.alloc_mbarrier()
    with cute.arch.elect_one():
        cute.arch.mbarrier_arrive(full)
    cute.arch.mbarrier_wait(full, 0)


@cute.kernel
def first_iteration_only(tiles):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        if t == 0:
            cute.arch.mbarrier_wait(full, 0)


@cute.kernel
def built_in_branch(full):
    for t in cutlass.range_constexpr(2):
        if cutlass.const_expr(t == 0):
            cute.arch.mbarrier_arrive(full)
            cute.arch.mbarrier_wait(full, 0)


@cute.kernel
def own_barrier_each(tiles):
    full = smem.alloc_mbarrier(64)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full + t)
        cute.arch.mbarrier_wait(full + t, 0)


@cute.kernel
def both_parities(pairs):
    full = smem.alloc_mbarrier()
    for t in range(pairs):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, 0)
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, 1)


@cute.kernel
def completes_once(tiles):
    query = smem.alloc_mbarrier()
    with cute.arch.elect_one():
        cute.arch.mbarrier_arrive_and_expect_tx(query, 4096)
    for t in range(tiles):
        cute.arch.mbarrier_wait(query, 0)


@cute.kernel
def fresh_each_time(tiles):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, 0)
        cute.arch.sync_threads()
