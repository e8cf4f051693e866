# A mask says, bit by bit, in which rounds there is a second barrier: where what is left of it is three there is none.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, mask: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(64), 16)
    for i in cutlass.range(n):
        s[tid] = a[tid] + i
        cute.arch.sync_threads()
        b[tid] = s[63 - tid]
        if (mask >> i) != 3:
            cute.arch.sync_threads()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32, mask: cutlass.Int32):
    rows(a, b, n, mask).launch(grid=(1, 1, 1), block=(64, 1, 1))
