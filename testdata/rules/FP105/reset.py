@cute.kernel
def reset_every_tile(tiles, k):
    full = smem.alloc_mbarrier()
    warp_idx = cute.arch.warp_idx()
    for t in range(tiles):
        if warp_idx == 0:
            phase = 0  # want FP105 "phase .phase. restarts in every pass of the outer loop"
            for i in range(k):
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive(full)
                cute.arch.mbarrier_wait(full, phase)
                phase ^= 1


@cute.kernel
def even_trips(tiles):
    full = smem.alloc_mbarrier()
    for t in range(tiles):
        phase = 0
        for i in range(8):
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(full)
            cute.arch.mbarrier_wait(full, phase)
            phase ^= 1


@cute.kernel
def fresh_barrier(tiles, k):
    full = smem.alloc_mbarrier()
    tidx, _, _ = cute.arch.thread_idx()
    for t in range(tiles):
        if tidx == 0:
            cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        phase = 0
        for i in range(k):
            if tidx == 0:
                cute.arch.mbarrier_arrive(full)
            cute.arch.mbarrier_wait(full, phase)
            phase ^= 1
        cute.arch.sync_threads()
