# Two accumulators that have 32 columns in common: those are read first, and given back before the others are.
# expect: holds open=order
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import tcgen05

MULTIPLY = 4
WIDE = 128
SHARED = 32
PIECE = 32


class Product:
    def __init__(self):
        self.tile = (128, WIDE, 64)

    @cute.jit
    def __call__(self, c: cute.Tensor, tiles: Int32):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, WIDE, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM)
        )
        operands = utils.sm100.make_smem_layout_a(mma, self.tile, cutlass.Float16, 1)

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, 1]
            empty: cute.struct.MemRange[cutlass.Int64, 1]
            address: cutlass.Int32
            operands: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(operands)], 1024]

        self.storage = Storage
        self.kernel(mma, operands, c, tiles).launch(grid=(1, 1, 1), block=(160, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, layout: cute.Layout, c: cute.Tensor, tiles: Int32):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        full = storage.full.data_ptr()
        empty = storage.empty.data_ptr()
        address = storage.address.ptr
        if tidx == 0:
            cute.arch.mbarrier_init(full, 1)
            cute.arch.mbarrier_init(empty, 128)
            cute.arch.mbarrier_init_fence()
        if warp == MULTIPLY:
            cute.arch.alloc_tmem(256, address)
        cute.arch.sync_threads()
        base = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, address)
        operand = mma.make_fragment_A(storage.operands.get_tensor(layout))
        apart = mma.make_fragment_C(cute.append(mma.partition_shape_C((128, WIDE)), 2))
        over = cute.make_layout(
            apart.shape, stride=(apart.stride[0], apart.stride[1], apart.stride[2], (WIDE - SHARED) * apart.stride[0][1])
        )
        sums = cute.make_tensor(base, over)
        if warp == MULTIPLY:
            for n in cutlass.range(tiles):
                turn = n & 1
                cute.arch.mbarrier_wait(empty, turn ^ 1)
                for block in cutlass.range(cute.size(operand, mode=[2]), unroll_full=True):
                    part = operand[None, None, block, 0]
                    cute.gemm(mma, sums[None, None, None, turn], part, part, sums[None, None, None, turn])
                with cute.arch.elect_one():
                    tcgen05.commit(full)
        else:
            self.emit(sums, full, empty, tiles, tidx)
        cute.arch.sync_threads()
        if warp == MULTIPLY:
            cute.arch.dealloc_tmem(base, 256)

    @cute.jit
    def emit(self, sums, full, empty, tiles, tidx):
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x32), cutlass.Float32)
        pieces = cute.flat_divide(sums[(None, None), 0, 0, None], (128, PIECE))
        load = tcgen05.make_tmem_copy(atom, pieces[None, None, 0, 0, 0])
        source = load.get_slice(tidx).partition_S(pieces)
        values = cute.make_rmem_tensor((PIECE,), cutlass.Float32)
        for n in cutlass.range(tiles):
            turn = n & 1
            cute.arch.mbarrier_wait(full, turn)
            mine = source[None, None, None, None, None, turn]
            mine = cute.group_modes(mine, 3, cute.rank(mine))
            for i in cutlass.range(cute.size(mine.shape, mode=[3])):
                at = i
                if turn == 0:
                    at = WIDE // PIECE - 1 - i
                cute.copy(load, mine[None, None, None, at], values)
                if i == 0:
                    cute.arch.fence_view_async_tmem_load()
                    cute.arch.mbarrier_arrive(empty)
