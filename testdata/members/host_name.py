# A tensor whose name sounds like numbers of the host side, and whose element one thread writes before a barrier and all read behind it.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(queue_sizes: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    if thread == 0:
        queue_sizes[block] = Int32(3)
    cute.arch.sync_threads()
    out[block * 64 + thread] = queue_sizes[block]


@cute.jit
def main(queue_sizes: cute.Tensor, out: cute.Tensor):
    kernel(queue_sizes, out).launch(grid=(8, 1, 1), block=(64, 1, 1))
