# Four warps in a circle: each tells the one before it, and waits for the one behind it. What is before the first is found
# without a negative number.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def previous():
    tidx, _, _ = cute.arch.thread_idx()
    warp = tidx // 32
    before = (warp + 3) % 4
    cute.arch.barrier_arrive(barrier_id=1 + before, number_of_threads=64)
    cute.arch.barrier(barrier_id=1 + warp, number_of_threads=64)


@cute.jit
def run():
    previous().launch(grid=(1, 1, 1), block=(128, 1, 1))


if __name__ == "__main__":
    cute.compile(run)()
