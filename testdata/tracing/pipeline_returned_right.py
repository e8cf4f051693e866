# Each helper gives the state back that its loop has advanced.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass import Int32, Int64


@cute.jit
def produce(pipe, state, n):
    for i in cutlass.range(n):
        pipe.producer_acquire(state)
        pipe.producer_commit(state)
        state.advance()
    return state


@cute.jit
def consume(pipe, state, n):
    for i in cutlass.range(n):
        pipe.consumer_wait(state)
        pipe.consumer_release(state)
        state.advance()
    return state


@cute.kernel
def ring(smem: cutlass.Constexpr, n: cutlass.Constexpr):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    bars = smem.alloc_array(Int64, 2)
    pipe = pipeline.PipelineAsync.create(
        barrier_storage=bars,
        num_stages=1,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    )
    cute.arch.sync_threads()
    if warp == 0:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 1)
        state = produce(pipe, state, 3)
        state = produce(pipe, state, 3)
    else:
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 1)
        state = consume(pipe, state, 3)
        state = consume(pipe, state, 3)


@cute.jit
def run(smem: cutlass.Constexpr):
    ring(smem, 3).launch(grid=(1, 1, 1), block=(64, 1, 1))
