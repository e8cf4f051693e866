# Two CTAs smooth one array of 2 x 128 cells. Each iteration a CTA hands its edge cell to its peer through
# distributed shared memory, and an mbarrier gates the exchange: the shape of the published write-up, statement by
# statement. Deadlock freedom holds. Three other things do not: the one halo slot is overwritten while the peer may
# still read it, thread 0 of CTA 0 reads a cell that thread 127 may not have written yet, and nothing keeps the peer
# from arriving before the mbarrier's init.
# expect: violated race lifetime
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
    halo = smem.alloc_array(Float32, 1)
    gate = smem.alloc_mbarrier()
    chosen = cute.arch.elect_one()
    leader = tid == 0
    if tid < 32 and chosen:
        cute.arch.mbarrier_init(gate, expected=ARRIVALS)
        cute.arch.mbarrier_init_fence()
    now[tid] = field[rank * THREADS + tid]
    phase = Int32(0)
    for step in range(ITERS):
        if leader:
            edge = now[THREADS - 1] if rank == 0 else now[0]
            far_halo = cute.arch.mapa_shared_cluster(halo, other)
            far_halo[0] = edge
        cute.arch.fence_view_async_shared()
        cute.arch.mbarrier_arrive(gate)
        cute.arch.mbarrier_arrive_peer(gate, other)
        cute.arch.mbarrier_wait(gate, phase)
        phase = phase ^ Int32(1)
        west = now[tid - 1] if tid > 0 else (halo[0] if rank == 1 else now[tid])
        east = now[tid + 1] if tid < THREADS - 1 else (halo[0] if rank == 0 else now[tid])
        total = west + now[tid]
        total = total + east
        mean = total / 3.0
        then[tid] = mean
        now, then = then, now
    field[rank * THREADS + tid] = now[tid]


@cute.jit
def main(field: cute.Pointer, smem: cutlass.Constexpr):
    smooth(field, smem).launch(grid=(2, 1, 1), block=(THREADS, 1, 1), cluster=(2, 1, 1))
