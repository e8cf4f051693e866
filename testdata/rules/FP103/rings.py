STAGES = 3


@cute.kernel
def counter(tiles):
    full = smem.alloc_mbarrier(STAGES)
    for t in range(tiles):
        stage = t % STAGES
        parity = t % 2
        cute.arch.mbarrier_wait(full + stage, parity)  # want FP103 "every 1 iterations, but the ring has 3 stages"


@cute.kernel
def other_ring(tiles):
    full = smem.alloc_mbarrier(STAGES)
    for t in range(tiles):
        cute.arch.mbarrier_wait(full + t % STAGES, (t // 4) & 1)  # want FP103 "every 4 iterations, but the ring has 3 stages"


@cute.kernel
def flips_too_often(tiles):
    full = smem.alloc_mbarrier(STAGES)
    phase = 0
    for t in range(tiles):
        cute.arch.mbarrier_wait(full + t % STAGES, phase)  # want FP103 "phase .phase. flips in every iteration"
        phase ^= 1


@cute.kernel
def right_closed_form(tiles):
    full = smem.alloc_mbarrier(STAGES)
    for t in range(tiles):
        cute.arch.mbarrier_wait(full + t % STAGES, (t // STAGES) & 1)


@cute.kernel
def right_wrap(tiles):
    full = smem.alloc_mbarrier(STAGES)
    stage = 0
    phase = 0
    for t in range(tiles):
        cute.arch.mbarrier_wait(full + stage, phase)
        stage += 1
        if stage == STAGES:
            stage = 0
            phase ^= 1


@cute.kernel
def single_stage(tiles):
    full = smem.alloc_mbarrier(1)
    for t in range(tiles):
        cute.arch.mbarrier_wait(full + t % 1, t & 1)
