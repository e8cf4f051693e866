# Warps read a stage and give it back; a bulk copy fills it again.
# expect: silent
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass import Float32


@cute.kernel
def ring(tma_atom: cute.CopyAtom, load_atom: cute.CopyAtom, tiles: cute.Tensor, registers: cute.Tensor, layout: cute.Layout, pipe: pipeline.PipelineTmaAsync, count: cutlass.Int32):
    warp = cute.arch.warp_idx()
    smem = cutlass.utils.SmemAllocator()
    stage = smem.allocate_tensor(Float32, layout)
    if warp == 0:
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 2)
        for t in cutlass.range(count):
            pipe.producer_acquire(filled)
            cute.copy(tma_atom, tiles[None, t], stage[None, filled.index], tma_bar_ptr=pipe.producer_get_barrier(filled))
            pipe.producer_commit(filled)
            filled.advance()
    else:
        taken = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 2)
        for t in cutlass.range(count):
            pipe.consumer_wait(taken)
            cute.copy(load_atom, stage[None, taken.index], registers)
            cute.arch.fence_proxy("async.shared", space="cta")
            pipe.consumer_release(taken)
            taken.advance()
