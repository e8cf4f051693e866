# The barrier counts the warps that come to it.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    part = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    if warp < 2:
        part[tid] = a[tid]
        cute.arch.barrier(barrier_id=3, number_of_threads=64)
        b[tid] = part[63 - tid]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    kernel(a, b).launch(grid=(1, 1, 1), block=(96, 1, 1))
