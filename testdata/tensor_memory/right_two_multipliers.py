# Two warps that multiply, each into an accumulator of its own in tensor memory; the warps of an epilogue read one after the other.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import tcgen05

STAGES = 1
MULTIPLY = 4
BESIDE = 5


class Product:
    def __init__(self):
        self.tile = (128, 128, 64)

    @cute.jit
    def __call__(self, c: cute.Tensor, tiles: Int32):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, 128, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM)
        )
        operands = utils.sm100.make_smem_layout_a(mma, self.tile, cutlass.Float16, 1)

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, 2]
            empty: cute.struct.MemRange[cutlass.Int64, 2]
            address: cutlass.Int32
            operands: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(operands)], 1024]

        self.storage = Storage
        self.kernel(mma, operands, c, tiles).launch(grid=(1, 1, 1), block=(192, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, layout: cute.Layout, c: cute.Tensor, tiles: Int32):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        full = storage.full.data_ptr()
        empty = storage.empty.data_ptr()
        address = storage.address.ptr
        if tidx == 0:
            for s in cutlass.range_constexpr(2):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, 128)
            cute.arch.mbarrier_init_fence()
        if warp == MULTIPLY:
            cute.arch.alloc_tmem(512, address)
        cute.arch.sync_threads()
        base = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, address)
        operand = mma.make_fragment_A(storage.operands.get_tensor(layout))
        shape = mma.partition_shape_C((128, 128))
        layout_of_sums = mma.make_fragment_C(cute.append(shape, STAGES)).layout
        left = cute.make_tensor(base, layout_of_sums)
        right = cute.make_tensor(base + 128, layout_of_sums)
        if warp == MULTIPLY:
            self.multiply(mma, operand, left, full, empty, tiles)
        elif warp == BESIDE:
            self.multiply(mma, operand, right, full + 1, empty + 1, tiles)
        else:
            self.emit(left, right, full, empty, c, tiles, tidx)
        cute.arch.sync_threads()
        if warp == MULTIPLY:
            cute.arch.dealloc_tmem(base, 512)

    @cute.jit
    def multiply(self, mma, operand, sums, full, empty, tiles):
        for n in cutlass.range(tiles):
            cute.arch.mbarrier_wait(empty, (n & 1) ^ 1)
            for block in cutlass.range(cute.size(operand, mode=[2]), unroll_full=True):
                part = operand[None, None, block, 0]
                cute.gemm(mma, sums[None, None, None, 0], part, part, sums[None, None, None, 0])
            with cute.arch.elect_one():
                tcgen05.commit(full)

    @cute.jit
    def emit(self, left, right, full, empty, c, tiles, tidx):
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x128), cutlass.Float32)
        load = tcgen05.make_tmem_copy(atom, left[(None, None), 0, 0, 0])
        sources = (load.get_slice(tidx).partition_S(left[(None, None), 0, 0, 0]), load.get_slice(tidx).partition_S(right[(None, None), 0, 0, 0]))
        values = cute.make_rmem_tensor((128,), cutlass.Float32)
        for n in cutlass.range(tiles):
            for side in cutlass.range_constexpr(2):
                cute.arch.mbarrier_wait(full + side, n & 1)
                cute.copy(load, sources[side], values)
                cute.arch.fence_view_async_tmem_load()
                cute.arch.mbarrier_arrive(empty + side)
