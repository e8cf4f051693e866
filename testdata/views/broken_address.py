# The scratch memory of a CTA is found by its address, and read with no barrier behind its writes.
# expect: violated race open=race-grid
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
    mine = cute.make_tensor(scratch.iterator + block * THREADS, cute.make_layout(THREADS))
    mine[t] = x[t]  # want FP720
    result = cute.local_tile(out, (THREADS,), (block,))
    result[t] = mirrored(mine, t)


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor, scratch: cute.Tensor, n: cutlass.Int32):
    kernel(x, out, scratch).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))
