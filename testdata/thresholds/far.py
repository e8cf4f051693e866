# Beyond a number that is far away the kernel meets before it reads what others wrote: both tests are of one number.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout(128), 16)
    s[t] = a[t]
    if n > 500:
        cute.arch.barrier()
    if n >= 501:
        b[t] = s[127 - t]


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    kernel(a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
