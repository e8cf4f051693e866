# Each CTA adds to one counter with the scope of its own CTA alone, by way of a name for the scope: what others add is not known to count.
# expect: holds open=race-grid
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32

SCOPE = "cta"


@cute.kernel
def counted(b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    cute.arch.atomic_add(b.iterator, Int32(t), scope=SCOPE)


@cute.jit
def main(b: cute.Tensor):
    counted(b).launch(grid=(4, 1, 1), block=(64, 1, 1))
