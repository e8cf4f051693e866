# Each thread of one CTA writes an element of its own and reads it in each round.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(cell: cute.Tensor, out: cute.Tensor, n: cutlass.Int32):
    t, _, _ = cute.arch.thread_idx()
    for i in cutlass.range(n):
        cell[t] = i
        out[t] += cell[t]


@cute.jit
def run(cell: cute.Tensor, out: cute.Tensor, n: cutlass.Int32):
    kernel(cell, out, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
