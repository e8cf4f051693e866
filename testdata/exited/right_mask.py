# As broken_mask.py, but the lanes that the mask names are those that come.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def sums(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    value = a[tid]
    if tid % 32 < 16:
        for by in [1, 2, 4, 8]:
            value += cute.arch.shuffle_sync_down(value, by, 0xFFFF)
        b[tid] = value


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    sums(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
