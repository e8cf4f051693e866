@cute.kernel
def odd_tells_even(pipe, state, leader, peer, n):
    for k in cutlass.range(n):
        if not leader:
            pipe.consumer_wait(state)
            with cute.arch.elect_one():
                pipe.sync_object_full.arrive_mbarrier(state.index, dst_rank=peer)  # want FP301 "passes on this CTA's data"
        if leader:
            pipe.consumer_wait(state)
        state.advance()


@cute.kernel
def same_cta(pipe, state, n):
    for k in cutlass.range(n):
        pipe.consumer_wait(state)
        with cute.arch.elect_one():
            pipe.sync_object_full.arrive_mbarrier(state.index)
        state.advance()


@cute.kernel
def stage_given_back(full, empty, peer):
    cute.arch.mbarrier_wait(full, 0)
    cute.arch.mbarrier_arrive(empty, peer)


@cute.kernel
def raw(full, peer):
    cute.arch.mbarrier_wait(full, 0)
    cute.arch.mbarrier_arrive(full, peer)  # want FP301 "default cta scope"


@cute.kernel
def raw_cluster(full, peer):
    cute.arch.mbarrier_wait(full, 0)
    cute.arch.mbarrier_arrive(full, peer, scope="cluster")


@cute.kernel
def own(full):
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
    cute.arch.mbarrier_wait(full, 0)
    cute.arch.mbarrier_arrive(full, rank)
