# Both warps go round as often as the remainder says.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(n: cutlass.Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp == 0:
        for i in cutlass.range(n % 1000):
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
    else:
        for i in cutlass.range(n % 1000):
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
    cute.arch.sync_threads()


@cute.jit
def launch(n: cutlass.Int32):
    kernel(n).launch(grid=(1, 1, 1), block=(64, 1, 1))
