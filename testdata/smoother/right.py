# The smoother with two halo slots used in turn, the mbarrier's init published to the peer by a cluster barrier, and a
# cluster barrier before the end so that no CTA leaves while its peer still writes into it. Everything holds.
# expect: holds open=attribution,order
# small: THREADS=4 ITERS=3
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 128
ITERS = 30
ARRIVALS = 2 * THREADS


@cute.kernel
def smooth(field: cute.Pointer, smem: cutlass.Constexpr):
    rank = cute.arch.cluster_rank_in_cluster()
    other = 1 - rank
    tid = cute.arch.thread_idx_x()
    now = smem.alloc_array(Float32, THREADS)
    then = smem.alloc_array(Float32, THREADS)
    halo = smem.alloc_array(Float32, 2)
    gate = smem.alloc_mbarrier()
    if tid == 0:
        cute.arch.mbarrier_init(gate, expected=ARRIVALS)
        cute.arch.mbarrier_init_fence()
    now[tid] = field[rank * THREADS + tid]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    phase = Int32(0)
    for step in range(ITERS):
        slot = step % 2
        if tid == (THREADS - 1 if rank == 0 else 0):
            far_halo = cute.arch.mapa_shared_cluster(halo, other)
            far_halo[slot] = now[tid]
        remote = cute.arch.mapa_shared_cluster(gate, other)
        cute.arch.mbarrier_arrive(gate)
        cute.arch.mbarrier_arrive(remote, space="cluster", scope="cluster")
        cute.arch.mbarrier_wait(gate, phase)
        phase = phase ^ Int32(1)
        west = now[tid - 1] if tid > 0 else (halo[slot] if rank == 1 else now[tid])
        east = now[tid + 1] if tid < THREADS - 1 else (halo[slot] if rank == 0 else now[tid])
        then[tid] = (west + now[tid] + east) / 3.0
        now, then = then, now
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    field[rank * THREADS + tid] = now[tid]


@cute.jit
def main(field: cute.Pointer, smem: cutlass.Constexpr):
    smooth(field, smem).launch(grid=(2, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
