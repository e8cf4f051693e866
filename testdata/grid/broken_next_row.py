# As right.py, but the neighbour on the right is in the row that the next CTA writes: nothing waits for it.
# expect: holds open=race-grid
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 128


@cute.kernel
def smooth(rows: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    cells = cute.arch.alloc_smem(cutlass.Float32, THREADS)
    cells[tid] = rows[row + 1, tid]
    cute.arch.sync_threads()
    rows[row, tid] = 0.5 * (cells[tid] + cells[(tid + 1) % THREADS])


@cute.jit
def run(rows: cute.Tensor, n: cutlass.Int32):
    smooth(rows, n).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))
