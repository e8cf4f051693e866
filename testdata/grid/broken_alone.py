# As pairs.py, but nothing keeps a CTA until the other has read of it, and by default a cluster is one CTA, where that is no error.
# expect: holds open=race-grid
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


class Pairs:
    def __init__(self, cluster=1):
        self.cluster = cluster

    @cute.jit
    def __call__(self, rows: cute.Tensor, smem: cutlass.Constexpr, n: cutlass.Int32):
        self.kernel(rows, smem).launch(grid=(self.cluster * n, 1, 1), block=(THREADS, 1, 1), cluster=(self.cluster, 1, 1))

    @cute.kernel
    def kernel(self, rows: cute.Tensor, smem: cutlass.Constexpr):
        tid, _, _ = cute.arch.thread_idx()
        cta, _, _ = cute.arch.block_idx()
        rank = cute.arch.cluster_rank_in_cluster()
        box = smem.alloc_array(cutlass.Float32, THREADS)
        box[tid] = rows[cta, tid]
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        there = cute.arch.mapa_shared_cluster(box, (rank + 1) % self.cluster)
        rows[cta, tid] = there[tid]
