# Four warps write both operands, each fences for the asynchronous proxy and hands them over, and the multiplication reads them.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.blackwell_helpers as sm100_utils
from cutlass.cute.nvgpu import tcgen05

TILE = (128, 64, 64)
WRITERS = 128


@cute.struct
class Storage:
    operands: cute.struct.MemRange[cutlass.Int64, 2]
    result: cute.struct.MemRange[cutlass.Int64, 2]
    columns: cutlass.Int32


@cute.kernel
def kernel(mma: cute.TiledMma, a_layout: cute.ComposedLayout, b_layout: cute.ComposedLayout):
    thread, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    storage = smem.allocate(Storage)
    a = smem.allocate_tensor(cutlass.Float16, a_layout.outer, 1024, swizzle=a_layout.inner)
    b = smem.allocate_tensor(cutlass.Float16, b_layout.outer, 1024, swizzle=b_layout.inner)
    columns = utils.TmemAllocator(
        storage.columns.ptr, barrier_for_retrieve=pipeline.NamedBarrier(barrier_id=1, num_threads=160)
    )
    written, read = pipeline.PipelineAsyncUmma.create(
        barrier_storage=storage.operands.data_ptr(), num_stages=1,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, WRITERS),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
    ).make_participants()
    computed, taken = pipeline.PipelineUmmaAsync.create(
        barrier_storage=storage.result.data_ptr(), num_stages=1,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, WRITERS),
    ).make_participants()
    columns.allocate(64)
    columns.wait_for_alloc()
    place = columns.retrieve_ptr(cutlass.Float32)
    acc = cute.make_tensor(place, mma.make_fragment_C(mma.partition_shape_C(TILE[:2])).layout)
    if warp < 4:
        room = written.acquire_and_advance()
        if thread == 0:
            a.fill(0.0)
            b.fill(0.0)
            cute.arch.fence_proxy("async.shared", space="cta")
        room.commit()
        done = taken.wait_and_advance()
        done.release()
    else:
        out = computed.acquire_and_advance()
        full = read.wait_and_advance()
        for k in cutlass.range_constexpr(4):
            cute.gemm(mma, acc, mma.make_fragment_A(a)[None, None, k, 0], mma.make_fragment_B(b)[None, None, k, 0], acc)
        full.release()
        out.commit()
    columns.relinquish_alloc_permit()
    pipeline.sync(barrier_id=2)
    columns.free(place)


@cute.jit
def main():
    mma = cute.make_tiled_mma(
        tcgen05.MmaF16BF16Op(
            cutlass.Float16, cutlass.Float32, (128, 64, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM,
            tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K,
        )
    )
    a_layout = sm100_utils.make_smem_layout_a(mma, TILE, cutlass.Float16, 1)
    b_layout = sm100_utils.make_smem_layout_b(mma, TILE, cutlass.Float16, 1)
    kernel(mma, a_layout, b_layout).launch(grid=(1, 1, 1), block=(160, 1, 1))
