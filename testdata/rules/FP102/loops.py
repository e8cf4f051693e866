@cute.kernel
def never_flipped(tiles, first):
    full = smem.alloc_mbarrier()
    phase = cutlass.Int32(first)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, phase ^ 1)  # want FP102 "uses phase .phase., which the loop never changes"


@cute.kernel
def flipped_after_the_loop(tiles, first):
    full = smem.alloc_mbarrier()
    phase = cutlass.Int32(first)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, phase)  # want FP102 "never changes"
    phase ^= 1


@cute.kernel
def flipped(tiles, first):
    full = smem.alloc_mbarrier()
    phase = cutlass.Int32(first)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, phase)
        phase = phase ^ 1


@cute.kernel
def once_a_tile(tiles, k):
    loaded = smem.alloc_mbarrier()
    phase = cutlass.Int32(k)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(loaded)
        for i in range(k):
            cute.arch.mbarrier_wait(loaded, phase)
        phase ^= 1


@cute.kernel
def state_object(tiles, state):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        cute.arch.mbarrier_wait(full, state.phase)
        state.advance()
