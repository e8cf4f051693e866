# The round in the middle of the launch does without a third barrier, which none needs.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((64,)), 16)
    for i in cutlass.range(n):
        s[tid] = a[i * 64 + tid]
        cute.arch.sync_threads()
        b[i * 64 + tid] = s[63 - tid]
        cute.arch.sync_threads()
        if 2 * i != n:
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
