# As asserted.py, but what is asserted is asked once more, by what leaves the barrier out.
# expect: inconclusive
# reason: one way only in the rounds that are tried
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, m: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(128), 16)
    for k in cutlass.range(n):
        s[tid] = a[k * 128 + tid]
        cute.arch.sync_threads()
        b[k * 128 + tid] = s[127 - tid]
        assert not (k == m and m > 50)
        if not (k == m and m > 30):
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, m: cutlass.Int32):
    mirror(a, b, n, m).launch(grid=(1, 1, 1), block=(128, 1, 1))
