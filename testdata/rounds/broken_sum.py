# Of five rounds the second leaves a barrier out: what is asked of k + left is another expression in each round.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(128))
    k = 0
    left = n
    while left > 0:
        s[t] = a[k * 128 + t]  # want FP720
        cute.arch.sync_threads()
        b[k * 128 + t] = s[127 - t]
        if k + left != 5 or k != 1:
            cute.arch.sync_threads()
        k += 1
        left -= 1


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, n: Int32):
    kernel(a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
