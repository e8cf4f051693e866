# Waits with constant phases, in loops and out of them.
STAGES = 4


@cute.kernel
def in_loop(tiles):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(full, 2048)
        cute.arch.mbarrier_wait(full, 0)  # want FP101 "wait on .full. uses phase 0 in every iteration"


@cute.kernel
def named_constant(tiles):
    full = smem.alloc_mbarrier()
    always = 1
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        while not cute.arch.mbarrier_try_wait(full, always):  # want FP101 "phase 1"
            pass


@cute.kernel
def ring(tiles):
    full = smem.alloc_mbarrier(STAGES)
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full + t % STAGES)
        cute.arch.mbarrier_wait(full + t % STAGES, 0)  # want FP101 "phase 0"


@cute.kernel
def persistent(scheduler):
    full = smem.alloc_mbarrier()
    while scheduler.valid():
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        if scheduler.last():
            break
        cute.arch.mbarrier_wait(full, 0)  # want FP101 "phase 0"


def wait_for(bar, parity):
    cute.arch.mbarrier_wait(bar, parity)


@cute.kernel
def through_helper(tiles):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(full)
        wait_for(full, 0)  # want FP101 "phase 0"
