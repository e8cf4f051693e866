# The rows are read twice a third of the way; the barriers are there in all rounds.
# expect: holds
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
        if i * 3 != n + 1:
            b[tid] = s[tid]
        cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
