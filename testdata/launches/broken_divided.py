# How many CTAs there are is divided by a number that is never zero; the row is written again before all have read it.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute

T = 128


@cute.kernel
def mirrored(x: cute.Tensor, y: cute.Tensor, tiles: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    cta, _, _ = cute.arch.block_idx()
    smem = cutlass.utils.SmemAllocator()
    row = smem.allocate_tensor(cutlass.Float32, cute.make_layout(T))
    for k in cutlass.range(tiles):
        at = (cta * tiles + k) * T + tid
        row[tid] = x[at]
        cute.arch.sync_threads()
        y[at] = row[T - 1 - tid]


@cute.jit
def run(x: cute.Tensor, y: cute.Tensor, n: cutlass.Int32, tiles: cutlass.Int32):
    mirrored(x, y, tiles).launch(grid=[cute.ceil_div(n, T * tiles), 1, 1], block=[T, 1, 1])
