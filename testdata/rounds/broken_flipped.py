# A barrier is left out in one round of many, which a number that does not go on by steps says.
# expect: inconclusive
# reason: this comparison comes out otherwise only after more rounds than are tried
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(64), 16)
    for i in cutlass.range(n):
        s[tid] = a[tid] + i
        cute.arch.sync_threads()
        b[tid] = s[63 - tid]
        if (i ^ 21) != 0:
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
