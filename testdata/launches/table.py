# Kernels that only a table of the file names: a function launches whatever it is handed from there. Each is launched by its key, with as many rows as stand there.
# expect: holds
# small: -
from typing import Callable, NamedTuple

import cutlass
import cutlass.cute as cute

PLAIN = "plain"
TURNED = "turned"
WARP = 32


class Choice(NamedTuple):
    kernel: Callable
    rows: int


@cute.kernel
def turned(src: cute.Tensor, dst: cute.Tensor, ROWS: cutlass.Constexpr[int]):
    tid, _, _ = cute.arch.thread_idx()
    kept = cutlass.Array(cutlass.Float32, ROWS * WARP, space=cutlass.AddressSpace.smem)
    for r in cutlass.range_constexpr(ROWS):
        kept[r * WARP + tid] = src[r, tid]
    cute.arch.sync_threads()
    for r in cutlass.range_constexpr(ROWS):
        dst[r, tid] = kept[r * WARP + (tid ^ 1)]


@cute.jit
def host(src: cute.Tensor, dst: cute.Tensor, KERNEL: cutlass.Constexpr[object], ROWS: cutlass.Constexpr[int]):
    KERNEL(src, dst, ROWS).launch(grid=(1, 1, 1), block=(WARP, 1, 1))


CHOICES: dict[str, Choice] = {PLAIN: None, TURNED: Choice(kernel=turned, rows=4)}


def compile(mode: str = PLAIN, src=None, dst=None):
    choice = CHOICES.get(mode)
    return cute.compile(host, src, dst, choice.kernel, choice.rows)
