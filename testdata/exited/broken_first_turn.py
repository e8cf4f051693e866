# Nobody gives the first turn, whatever hardware does about threads that have ended when there is no round at all.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, n: Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    for i in cutlass.range(n):
        cute.arch.barrier(barrier_id=1 + warp, number_of_threads=64)  # want FP120
        a[i] = 0.0
        cute.arch.barrier_arrive(barrier_id=2 - warp, number_of_threads=64)
    if warp == 0:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)


@cute.jit
def main(a: cute.Tensor, n: Int32):
    kernel(a, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
