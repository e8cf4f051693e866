import cutlass
import cutlass.cute as cute


@cute.kernel
def half_named(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    b[tid] = a[tid] + cute.arch.shuffle_sync_down(a[tid], 8, 0xFFFF)  # want FP412 "lane 16 executes it as well"


@cute.kernel
def half_comes(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    if tid % 32 < 16:
        b[tid] = a[tid] + cute.arch.shuffle_sync_down(a[tid], 8, 0xFFFF)


@cute.kernel
def all_named(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    b[tid] = a[tid] + cute.arch.shuffle_sync_down(a[tid], 8, 0xFFFFFFFF)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    half_named(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
    half_comes(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
    all_named(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
