# No thread touches what is another's, and nothing synchronizes.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    b[tid] = a[tid] * 2.0


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    kernel(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
