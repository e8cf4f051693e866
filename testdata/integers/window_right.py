# Warp 1 hands a row to warp 0. It is told by its distance to thread 32 as a number without a sign: to the threads of warp 0
# that is large, so that they are not among those that write.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def window():
    tidx, _, _ = cute.arch.thread_idx()
    distance = cutlass.Uint32(tidx) - 32
    if distance < 32:
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
    if tidx < 32:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)


@cute.jit
def run():
    window().launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    cute.compile(run)()
