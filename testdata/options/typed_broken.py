# The sums of two warps meet in shared memory where a number type from a table is wide enough, with no barrier in between.
# expect: violated race
# small: -
import functools

import torch

import cutlass
import cutlass.cute as cute

NAMES = {torch.float32: "float32", torch.float16: "float16"}
TYPES = {"float32": cutlass.Float32, "float16": cutlass.Float16}


class Sums:
    def __init__(self, dtype, count: int):
        self.vector = 16 // (dtype.width // 8)
        self.warps = 1 if count // self.vector <= 16 else 2

    @cute.jit
    def __call__(self, src: cute.Tensor, dst: cute.Tensor):
        self.kernel(src, dst).launch(grid=(1, 1, 1), block=(32 * self.warps, 1, 1))

    @cute.kernel
    def kernel(self, src: cute.Tensor, dst: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        total = src[tid]
        if cutlass.const_expr(self.warps > 1):
            part = cutlass.Array(cutlass.Float32, 64, space=cutlass.AddressSpace.smem)
            part[tid] = total
            total += part[tid ^ 32]
        dst[tid] = total


@functools.cache
def compiled(name: str, count: int):
    return cute.compile(Sums(TYPES[name], count), None, None)


def sums(src, dst):
    compiled(NAMES[src.dtype], src.shape[-1])(src, dst)
