# Two buffers by turns, but for round 24: what decides it is a condition used as a number. The other answer is not met within the bounds.
# expect: inconclusive
# reason: one way only in the rounds that are tried
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((128, 2)), 16)
    for k in cutlass.range(n):
        turn = (k + cutlass.Int32(cutlass.Float32(k) == 24.0)) % 2
        s[tid, turn] = a[k * 128 + tid]
        cute.arch.sync_threads()
        b[k * 128 + tid] = s[127 - tid, turn]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    mirror(a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
