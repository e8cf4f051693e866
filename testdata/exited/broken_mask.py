# All lanes of a warp execute a shuffle whose mask names half of them.
# expect: holds open=deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def sums(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    value = a[tid]
    for by in [1, 2, 4, 8]:
        value += cute.arch.shuffle_sync_down(value, by, 0xFFFF)
    if tid % 32 < 16:
        b[tid] = value


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    sums(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
