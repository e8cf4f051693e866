# Two CTAs of a cluster exchange halves through shared memory; a row belongs to a cluster.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 128


@cute.kernel
def swap(rows: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    cta, _, _ = cute.arch.block_idx()
    rank = cute.arch.block_idx_in_cluster()
    cells = cute.arch.alloc_smem(cutlass.Float32, THREADS)
    cells[tid] = rows[cta, tid]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    rows[cta - rank + 1 - rank, tid] = cells[tid]


@cute.jit
def run(rows: cute.Tensor, n: cutlass.Int32):
    swap(rows, n).launch(grid=(2 * n, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
