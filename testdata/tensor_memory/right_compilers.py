# Tensor memory and registers that the compiler finds room for: a tile of sums is multiplied when the one before has been read.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.cute.experimental as cute_ext
import cutlass.utils.blackwell_helpers as sm100_utils
from cutlass.cute.nvgpu import tcgen05

ONE = cute_ext.OperationTypeEnum.SM100_MMA_1SM_SS


class Sums:
    def __init__(self, tiler: tuple[int, int, int]):
        self.tiler = tiler

    @cute.jit
    def __call__(self, tiles: cutlass.Int32):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(
                cutlass.Float16, cutlass.Float32, (self.tiler[0], self.tiler[1], 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM,
                tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K,
            )
        )
        a_layout = sm100_utils.make_smem_layout_a(mma, self.tiler, cutlass.Float16, 1)
        b_layout = sm100_utils.make_smem_layout_b(mma, self.tiler, cutlass.Float16, 1)
        acc_layout = mma.make_fragment_C(mma.partition_shape_C(self.tiler[:2])).layout
        self.kernel(mma, a_layout, b_layout, acc_layout, tiles).launch(grid=(1, 1, 1), block=(160, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, a_layout: cute.ComposedLayout, b_layout: cute.ComposedLayout, acc_layout: cute.Layout, tiles: cutlass.Int32):
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        a = cute_ext.allocate(cutlass.Float16, cute.AddressSpace.smem, a_layout, alignment=1024)
        b = cute_ext.allocate(cutlass.Float16, cute.AddressSpace.smem, b_layout, alignment=1024)
        acc = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.tmem, acc_layout, alignment=16)
        load = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition(32)), cutlass.Float32), acc)
        kept = cute_ext.allocate(cutlass.Float32, cute.AddressSpace.rmem, cute.make_layout(32), alignment=32)
        ring = cute_ext.UMMAtoAsyncPipeline.create(
            num_stages=1, mma_operation_type=ONE, consumer=cute_ext.OperationTypeEnum.SM100_COPY_T2R, consumer_arv_count=128
        )
        if warp == 4:
            for _ in cutlass.range(tiles):
                ring.producer_acquire_and_get_stage()
                for k in cutlass.range_constexpr(4):
                    cute_ext.dot(cute.make_mma_atom(mma.op), a[None, None, k, 0], b[None, None, k, 0], acc)
                ring.producer_commit_and_advance()
        else:
            for _ in cutlass.range(tiles):
                ring.consumer_wait_and_get_stage()
                cute_ext.partition_and_copy(load.get_slice(tid), acc, kept)
                cute.arch.fence_view_async_tmem_load()
                ring.consumer_release_and_advance()


def main():
    cute.compile(Sums((128, 64, 64)), 3)
