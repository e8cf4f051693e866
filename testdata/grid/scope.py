# Each CTA adds to one counter with the scope of the GPU.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def counted(b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    cute.arch.atomic_add(b.iterator, Int32(t), scope="gpu")


@cute.jit
def main(b: cute.Tensor):
    counted(b).launch(grid=(4, 1, 1), block=(64, 1, 1))
