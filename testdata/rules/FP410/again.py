import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline


@cute.kernel
def rotated(warp: cutlass.Int32, rounds: cutlass.Int32):
    # The barrier of the turn: each index another one.
    for turn in cutlass.range_constexpr(4):
        hand_over(warp, turn)


def hand_over(warp, turn):
    bar = pipeline.NamedBarrier(barrier_id=turn + 1, num_threads=128)
    if warp == turn:
        bar.arrive_and_wait()
    else:
        bar.arrive()


@cute.kernel
def ping_pong(group: cutlass.Int32, rounds: cutlass.Int32):
    if group == 0:
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=256)
    for i in cutlass.range(rounds):
        cute.arch.barrier(barrier_id=1 + group, number_of_threads=256)
        cute.arch.barrier_arrive(barrier_id=2 - group, number_of_threads=256)


@cute.kernel
def told(rounds: cutlass.Int32):
    for i in cutlass.range(rounds):
        cute.arch.fence_view_async_shared()
        cute.arch.barrier_arrive(barrier_id=3, number_of_threads=256)  # want FP410 "next iteration arrives"
