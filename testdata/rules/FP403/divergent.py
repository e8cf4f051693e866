@cute.kernel
def elected():
    with cute.arch.elect_one():
        cute.arch.sync_threads()  # want FP403 "CTA barrier is reached by part of a warp"


@cute.kernel
def some_lanes():
    tidx, _, _ = cute.arch.thread_idx()
    lane = tidx % 32
    if lane < 8:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)  # want FP403 "aligned named barrier"


@cute.kernel
def by_warp(rows):
    tidx, _, _ = cute.arch.thread_idx()
    warp = tidx // 32
    if warp == 0:
        cute.arch.barrier(barrier_id=1, number_of_threads=32)
    if tidx < 64:
        cute.arch.barrier(barrier_id=2, number_of_threads=64)
    if rows > 4:
        cute.arch.sync_threads()


@cute.kernel
def left_early():
    tidx, _, _ = cute.arch.thread_idx()
    if tidx >= 100:
        return
    cute.arch.sync_threads()
