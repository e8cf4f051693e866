# The window whose barrier counts warp 0 as a writer, too: as if a distance without a sign could be negative.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def window():
    tidx, _, _ = cute.arch.thread_idx()
    distance = cutlass.Uint32(tidx) - 32
    if distance < 32:
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=96)
    if tidx < 32:
        cute.arch.barrier(barrier_id=1, number_of_threads=96)  # want FP120


@cute.jit
def run():
    window().launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    cute.compile(run)()
