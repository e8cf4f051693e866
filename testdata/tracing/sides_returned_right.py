# Each helper gives the side of the pipeline back that its if has advanced: a new one, since its state is.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass import Int64


@cute.jit
def give(room, first):
    if first == False:
        slot = room.acquire_and_advance()
        slot.commit()
    return (first, room)


@cute.jit
def take(full, first):
    if first == False:
        slot = full.wait_and_advance()
        slot.release()
    return (first, full)


@cute.kernel
def ring(smem: cutlass.Constexpr, n: cutlass.Int32):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    room, full = pipeline.PipelineAsync.create(
        barrier_storage=smem.alloc_array(Int64, 2),
        num_stages=1,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    ).make_participants()
    if warp == 0:
        for i in cutlass.range(n):
            _, room = give(room, i == 0)
        room.tail()
    else:
        for i in cutlass.range(n):
            _, full = take(full, i == 0)


@cute.jit
def run(smem: cutlass.Constexpr, n: cutlass.Int32):
    ring(smem, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
