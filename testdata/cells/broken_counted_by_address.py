# Threads count in global memory by its address, and read the count as an element of the tensor while others still count.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.jit
def count(cell: cute.Pointer):
    cute.arch.atomic_add(cell, Int32(1))


@cute.kernel
def kernel(counts: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    count(counts.iterator + 3)  # want FP720
    out[t] = counts[3]


@cute.jit
def main(counts: cute.Tensor, out: cute.Tensor):
    kernel(counts, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
