# The second warp gives the first turn, and the first takes the last one.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(a: cute.Tensor, n: Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    if warp == 1:
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
    for i in cutlass.range(n):
        cute.arch.barrier(barrier_id=1 + warp, number_of_threads=64)
        a[i] = 0.0
        cute.arch.barrier_arrive(barrier_id=2 - warp, number_of_threads=64)
    if warp == 0:
        cute.arch.barrier(barrier_id=1, number_of_threads=64)


@cute.jit
def main(a: cute.Tensor, n: Int32):
    kernel(a, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
