# A ring of CTAs hands a parcel round: each waits for its turn, takes the parcel and puts it into the next CTA's shared
# memory, then arrives on that CTA's mbarrier. The first turn of CTA 0 needs no wait.
# expect: holds
# small: CTAS=3 THREADS=2 LAPS=2
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

CTAS = 4
THREADS = 64
LAPS = 3


@cute.kernel
def relay(out: cute.Pointer, smem: cutlass.Constexpr):
    rank = cute.arch.cluster_rank_in_cluster()
    tid = cute.arch.thread_idx_x()
    turn = smem.alloc_mbarrier()
    parcel = smem.alloc_array(Float32, 1)
    if tid == 0:
        cute.arch.mbarrier_init(turn, expected=1)
        cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    after = (rank + 1) % CTAS
    phase = Int32(0)
    if tid == 0:
        for lap in range(LAPS):
            if rank > 0 or lap > 0:
                cute.arch.mbarrier_wait(turn, phase, scope="cluster")
                phase = phase ^ 1
            load = parcel[0]
            if rank < CTAS - 1 or lap < LAPS - 1:
                slot = cute.arch.mapa_shared_cluster(parcel, after)
                slot[0] = load
                bell = cute.arch.mapa_shared_cluster(turn, after)
                cute.arch.mbarrier_arrive(bell, space="cluster", scope="cluster")
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    out[rank * THREADS + tid] = parcel[0]


@cute.jit
def main(out: cute.Pointer, smem: cutlass.Constexpr):
    relay(out, smem).launch(grid=(CTAS, 1, 1), block=(THREADS, 1, 1), cluster=(CTAS, 1, 1))
