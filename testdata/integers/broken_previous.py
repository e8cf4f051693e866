# The circle with a remainder that MLIR takes with the sign of the dividend, where Python's has that of the divisor: nobody
# tells the last warp. The index of a warp is the same in all its lanes, so that it may be a number of Python for all that is
# known, and the remainder is left open.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def previous():
    tidx, _, _ = cute.arch.thread_idx()
    warp = tidx // 32
    before = (warp - 1) % 4
    cute.arch.barrier_arrive(barrier_id=1 + before, number_of_threads=64)
    cute.arch.barrier(barrier_id=1 + warp, number_of_threads=64)


@cute.jit
def run():
    previous().launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    cute.compile(run)()
