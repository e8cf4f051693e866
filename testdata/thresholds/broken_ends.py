# One warp goes round as often as the remainder says, the other as often as the launch does: from 32 on these differ.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(n: cutlass.Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp == 0:
        for i in cutlass.range(n % 32):
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
    else:
        for i in cutlass.range(n):
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
    cute.arch.sync_threads()  # want FP120


@cute.jit
def launch(n: cutlass.Int32):
    kernel(n).launch(grid=(1, 1, 1), block=(64, 1, 1))
