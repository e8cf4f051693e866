# Two buffers by turns, but for round 1000, which takes the one of the round before it. So many rounds are not tried.
# expect: inconclusive
# reason: only after more rounds than are tried
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout((128, 2)), 16)
    for k in cutlass.range(n):
        turn = k % 2
        if k == 1000:
            turn = 1
        s[tid, turn] = a[k * 128 + tid]
        cute.arch.sync_threads()
        b[k * 128 + tid] = s[127 - tid, turn]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    mirror(a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
