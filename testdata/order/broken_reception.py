# As parcel.py, but the wait names no scope, and so has that of its own CTA.
# expect: holds open=order
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


@cute.kernel
def swap(out: cute.Tensor, smem: cutlass.Constexpr):
    tid, _, _ = cute.arch.thread_idx()
    rank = cute.arch.cluster_rank_in_cluster()
    cta, _, _ = cute.arch.block_idx()
    gate = smem.alloc_mbarrier()
    box = smem.alloc_array(cutlass.Float32, THREADS)
    if tid == 0:
        cute.arch.mbarrier_init(gate, expected=THREADS)
        cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    there = cute.arch.mapa_shared_cluster(box, 1 - rank)
    there[tid] = cutlass.Float32(tid + rank)
    bell = cute.arch.mapa_shared_cluster(gate, 1 - rank)
    cute.arch.mbarrier_arrive(bell, space="cluster", scope="cluster")
    cute.arch.mbarrier_wait(gate, 0)
    out[cta, tid] = box[tid]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def run(out: cute.Tensor, smem: cutlass.Constexpr, n: cutlass.Int32):
    swap(out, smem).launch(grid=(2 * n, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
