# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(32), 16)
    if n % 2 == 1:
        for i in cutlass.range(0, n, 2):
            s[tid] = a[tid] + i
            cute.arch.sync_warp()
            b[tid] = s[(tid + i) % 32]
            cute.arch.sync_warp()


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(32, 1, 1))
