# The handoff that loads one chunk less than it changes.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.experimental import primitives as prims

INPUTS = 3
OUTPUTS = 2
CHUNK = 64
CHUNK_BYTES = CHUNK * 4
WORKERS = 2


def await_phase(barrier, phase):
    while not prims.mbarrier_try_wait_parity(barrier, phase):  # want FP120
        pass


def used(n, stages):
    return (n // stages) & 1


def free(n, stages):
    return ((n // stages) & 1) ^ 1


@cute.kernel
def handoff(source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, chunks: Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    lane = cute.arch.lane_idx()
    raw = smem.alloc_array(Float32, (INPUTS, CHUNK))
    done = smem.alloc_array(Float32, (OUTPUTS, CHUNK))
    loaded = smem.alloc_array(Int64, INPUTS)
    taken = smem.alloc_array(Int64, INPUTS)
    changed = smem.alloc_array(Int64, OUTPUTS)
    stored = smem.alloc_array(Int64, OUTPUTS)
    if warp == 0:
        if lane == 0:
            for s in cutlass.range_constexpr(INPUTS):
                cute.arch.mbarrier_init(loaded + s, 1)
                cute.arch.mbarrier_init(taken + s, WORKERS)
            for s in cutlass.range_constexpr(OUTPUTS):
                cute.arch.mbarrier_init(changed + s, 32 * WORKERS)
                cute.arch.mbarrier_init(stored + s, 32)
            cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if warp == 0:
        if lane == 0:
            for n in cutlass.range(chunks - 1):
                await_phase(taken + n % INPUTS, free(n, INPUTS))
                cute.arch.mbarrier_arrive_and_expect_tx(loaded + n % INPUTS, CHUNK_BYTES)
                prims.cp_async_bulk_shared_cluster_global(raw[n % INPUTS], source + n * CHUNK, loaded + n % INPUTS, CHUNK_BYTES)
    elif warp <= WORKERS:
        column = (warp - 1) * 32 + lane
        for n in cutlass.range(chunks):
            await_phase(loaded + n % INPUTS, used(n, INPUTS))
            value = raw[n % INPUTS, column]
            cute.arch.sync_warp()
            if lane == 0:
                cute.arch.mbarrier_arrive(taken + n % INPUTS)
            await_phase(stored + n % OUTPUTS, free(n, OUTPUTS))
            done[n % OUTPUTS, column] = value * 2.0
            cute.arch.mbarrier_arrive(changed + n % OUTPUTS)
    else:
        for n in cutlass.range(chunks):
            await_phase(changed + n % OUTPUTS, used(n, OUTPUTS))
            out[n * CHUNK + lane] = done[n % OUTPUTS, lane]
            out[n * CHUNK + lane + 32] = done[n % OUTPUTS, lane + 32]
            cute.arch.mbarrier_arrive(stored + n % OUTPUTS)


@cute.jit
def main(source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr, chunks: Int32):
    handoff(source, out, smem, chunks).launch(grid=(1, 1, 1), block=(32 * (WORKERS + 2), 1, 1))
