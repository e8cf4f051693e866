# A record of options that nobody gives, with a data type whose declared default is none: a number of it is made.
# expect: holds
# small: -
import dataclasses
from typing import Type

import cutlass
import cutlass.cute as cute

THREADS = 64


@dataclasses.dataclass(frozen=True)
class Numbers:
    kept: Type[cutlass.Numeric] = None
    rounds: int = 2


class Mirror:
    def __init__(self, numbers: Numbers):
        self.numbers = numbers

    @cute.jit
    def __call__(self, out: cute.Tensor):
        self.kernel(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, out: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
        total = self.numbers.kept(0)
        for i in cutlass.range_constexpr(self.numbers.rounds):
            kept[tid] = total + i
            cute.arch.sync_threads()
            total += kept[tid ^ 1]
            cute.arch.sync_threads()
        out[tid] = total
