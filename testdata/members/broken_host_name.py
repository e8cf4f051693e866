# As host_name.py without the barrier: what a tensor is called makes no number of the launch of what the kernel writes.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(queue_sizes: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    if thread == 0:
        queue_sizes[block] = Int32(3)  # want FP720
    out[block * 64 + thread] = queue_sizes[block]


@cute.jit
def main(queue_sizes: cute.Tensor, out: cute.Tensor):
    kernel(queue_sizes, out).launch(grid=(8, 1, 1), block=(64, 1, 1))
