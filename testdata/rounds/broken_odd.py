# A loop that goes on by two, in launches with an odd number of rows only: its second round is read while its third one is written, from
# five rows on.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(32), 16)
    if n % 2 == 1:
        for i in cutlass.range(0, n, 2):
            s[tid] = a[tid] + i  # want FP720
            cute.arch.sync_warp()
            b[tid] = s[(tid + i) % 32]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(32, 1, 1))
