# Two warps multiply into columns that are 64 apart; the tile is 128 wide.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
import cutlass.utils.blackwell_helpers as sm100_utils
from cutlass.cute.nvgpu import tcgen05


@cute.struct
class Storage:
    columns: cutlass.Int32


class Op:
    def __init__(self, tiler: tuple[int, int, int]):
        self.tiler = tiler
        self.first, self.second, self.columns = 0, 64, 256

    @cute.jit
    def __call__(self):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(
                cutlass.Float16, cutlass.Float32, (self.tiler[0], self.tiler[1], 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM,
                tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K,
            )
        )
        a_layout = sm100_utils.make_smem_layout_a(mma, self.tiler, cutlass.Float16, 1)
        b_layout = sm100_utils.make_smem_layout_b(mma, self.tiler, cutlass.Float16, 1)
        self.kernel(mma, a_layout, b_layout).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, a_layout: cute.ComposedLayout, b_layout: cute.ComposedLayout):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = utils.SmemAllocator()
        storage = smem.allocate(Storage)
        a = smem.allocate_tensor(cutlass.Float16, a_layout.outer, 1024, swizzle=a_layout.inner)
        b = smem.allocate_tensor(cutlass.Float16, b_layout.outer, 1024, swizzle=b_layout.inner)
        columns = utils.TmemAllocator(
            storage.columns.ptr, barrier_for_retrieve=pipeline.NamedBarrier(barrier_id=1, num_threads=64)
        )
        columns.allocate(self.columns)
        columns.wait_for_alloc()
        place = columns.retrieve_ptr(cutlass.Float32)
        acc = mma.make_fragment_C(mma.partition_shape_C(self.tiler[:2]))
        if warp == 0:
            sums = cute.make_tensor(place + self.first, acc.layout)
            for k in cutlass.range_constexpr(4):
                cute.gemm(mma, sums, mma.make_fragment_A(a)[None, None, k, 0], mma.make_fragment_B(b)[None, None, k, 0], sums)
        else:
            sums = cute.make_tensor(place + self.second, acc.layout)
            for k in cutlass.range_constexpr(4):
                cute.gemm(mma, sums, mma.make_fragment_A(a)[None, None, k, 0], mma.make_fragment_B(b)[None, None, k, 0], sums)
        columns.relinquish_alloc_permit()
        pipeline.sync(barrier_id=2)
        columns.free(place)


def main():
    cute.compile(Op((128, 128, 64)))
