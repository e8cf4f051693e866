# Loops within each other, both of n rounds, use their rows by turns of 64: where n is large enough for that there are thousands of rounds
# together, and no such n is tried.
# expect: inconclusive
# reason: loops within each other
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout((64, 32)), 16)
    for i in cutlass.range(n):
        for k in cutlass.range(n):
            s[(i + k) % 64, tid] = a[tid] + k
            cute.arch.sync_threads()
            b[tid] = s[(i + k) % 64, 31 - tid]
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(32, 1, 1))
