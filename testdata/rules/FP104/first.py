@cute.kernel
def both_start_at_zero(tiles):
    full = smem.alloc_mbarrier(2)
    empty = smem.alloc_mbarrier(2)
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        for t in range(tiles):
            s = t % 2
            cute.arch.mbarrier_wait(empty + s, (t // 2) & 1)  # want FP104 "both block"
            cute.copy(tma_atom, src, dst, tma_bar_ptr=full + s)
    elif warp_idx == 1:
        for t in range(tiles):
            s = t % 2
            cute.arch.mbarrier_wait(full + s, (t // 2) & 1)
            cute.arch.mbarrier_arrive(empty + s)


@cute.kernel
def producer_starts_at_one(tiles):
    full = smem.alloc_mbarrier(2)
    empty = smem.alloc_mbarrier(2)
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 0:
        for t in range(tiles):
            s = t % 2
            cute.arch.mbarrier_wait(empty + s, ((t // 2) & 1) ^ 1)
            cute.copy(tma_atom, src, dst, tma_bar_ptr=full + s)
    elif warp_idx == 1:
        for t in range(tiles):
            s = t % 2
            cute.arch.mbarrier_wait(full + s, (t // 2) & 1)
            cute.arch.mbarrier_arrive(empty + s)


@cute.kernel
def armed_before_the_loop(tiles):
    full = smem.alloc_mbarrier()
    empty = smem.alloc_mbarrier()
    warp_idx = cute.arch.warp_idx()
    if warp_idx == 1:
        cute.arch.mbarrier_arrive(empty)
    if warp_idx == 0:
        for t in range(tiles):
            cute.arch.mbarrier_wait(empty, t & 1)
            cute.arch.mbarrier_arrive(full)
    elif warp_idx == 1:
        for t in range(tiles):
            cute.arch.mbarrier_wait(full, t & 1)
            cute.arch.mbarrier_arrive(empty)


@cute.kernel
def arrives_elsewhere(tiles):
    full = smem.alloc_mbarrier()
    empty = smem.alloc_mbarrier()
    with cute.arch.elect_one():
        cute.arch.mbarrier_init(empty, 1)
    cute.arch.mbarrier_init_fence()
    fill(empty)
    for t in range(tiles):
        cute.arch.mbarrier_wait(empty, t & 1)
        cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, t & 1)
        cute.arch.mbarrier_arrive(empty)
