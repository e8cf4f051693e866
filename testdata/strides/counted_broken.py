# Two warps hand a stage on in the hundredth and first round: one fills it, the other waits for the phase before.
# expect: violated deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64


@cute.jit
def hand_on(round: Int32, warp: Int32, full: cute.Pointer, phase: Int32) -> Int32:
    if round == 100:
        if warp == 0:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(full)
        else:
            cute.arch.mbarrier_wait(full, phase ^ 1)
            phase ^= 1
        cute.arch.sync_threads()
    return phase


@cute.kernel
def steps(out: cute.Pointer, smem: cutlass.Constexpr, n: Int32):
    tid = cute.arch.thread_idx_x()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    full = smem.alloc_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    phase = Int32(0)
    for i in cutlass.range(n):
        phase = hand_on(i, warp, full, phase)
    out[tid] = Float32(0.0)


@cute.jit
def run(out: cute.Pointer, smem: cutlass.Constexpr, n: Int32):
    steps(out, smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
