# Rows come in pairs, and of four rows on nothing stands between the last of a pass and the first of the next: an odd number of rows puts
# both into one half, from five rows on.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout((2, 32)), 16)
    for i in cutlass.range(0, n, 2):
        for k in cutlass.range(n):
            s[k % 2, tid] = a[tid] + k  # want FP720
            cute.arch.sync_threads()
            b[tid] = s[k % 2, 31 - tid]
        if n < 4:
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(32, 1, 1))
