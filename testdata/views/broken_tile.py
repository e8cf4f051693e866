# The barrier between the writes of the tile and the reads is missing.
# expect: violated race
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
    mine = cute.local_tile(scratch, (THREADS,), (block,))
    mine[t] = x[t]  # want FP720
    result = cute.local_tile(out, (THREADS,), (block,))
    result[t] = mirrored(mine, t)


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor, scratch: cute.Tensor, n: cutlass.Int32):
    kernel(x, out, scratch).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))
