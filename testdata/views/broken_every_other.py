# Every other element of a tensor is written and read with no barrier: the places are not told, race stays open.
# expect: holds open=race,race-grid
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 128


@cute.jit
def mirrored(v: cute.Tensor, t):
    return v[THREADS - 1 - t]


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor, scratch: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    mine = cute.composition(scratch, cute.make_layout(THREADS, stride=2))
    mine[t] = x[t]
    result = cute.local_tile(out, (THREADS,), (block,))
    result[t] = mirrored(mine, t)


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor, scratch: cute.Tensor, n: cutlass.Int32):
    kernel(x, out, scratch).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))
