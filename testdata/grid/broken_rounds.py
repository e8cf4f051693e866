# Threads of one CTA write one element of global memory and read it in each round. That they do so at the same time is not compared
# where the rounds are not known: race stays open.
# expect: holds open=race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(cell: cute.Tensor, out: cute.Tensor, n: cutlass.Int32):
    t, _, _ = cute.arch.thread_idx()
    for i in cutlass.range(n):
        cell[0] = i
        out[t] += cell[0]


@cute.jit
def run(cell: cute.Tensor, out: cute.Tensor, n: cutlass.Int32):
    kernel(cell, out, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
