# As right_scales_of_any_type.py, but the factors of B are put behind those of A alone: where an accumulator is that an epilogue reads.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import cutlass.utils.blockscaled_layout as blockscaled
from cutlass import Int32
from cutlass.cute.nvgpu import tcgen05

STAGES = 2
MULTIPLY = 4
VECTOR = 16


class Product:
    def __init__(self):
        self.tile = (128, 128, 256)

    @cute.jit
    def __call__(self, c: cute.Tensor, given: cute.Tensor, tiles: Int32):
        self.factor = given.element_type
        major = cute.nvgpu.OperandMajorMode.K
        mma = utils.sm100.make_blockscaled_trivial_tiled_mma(
            cutlass.Float4E2M1FN, cutlass.Float4E2M1FN, major, major, self.factor, VECTOR, tcgen05.CtaGroup.ONE, (128, 128)
        )
        operands = utils.sm100.make_smem_layout_a(mma, self.tile, cutlass.Float4E2M1FN, 1)
        factors = blockscaled.make_smem_layout_sfa(mma, self.tile, VECTOR, 1)

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, STAGES]
            empty: cute.struct.MemRange[cutlass.Int64, STAGES]
            address: cutlass.Int32
            operands: cute.struct.Align[cute.struct.MemRange[cutlass.Float4E2M1FN, cute.cosize(operands)], 1024]
            factors: cute.struct.Align[cute.struct.MemRange[self.factor, cute.cosize(factors)], 1024]

        self.storage = Storage
        self.kernel(mma, operands, factors, c, tiles).launch(grid=(1, 1, 1), block=(160, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, layout: cute.Layout, scales: cute.Layout, c: cute.Tensor, tiles: Int32):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        full = storage.full.data_ptr()
        empty = storage.empty.data_ptr()
        address = storage.address.ptr
        if tidx == 0:
            for s in cutlass.range_constexpr(STAGES):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, 128)
            cute.arch.mbarrier_init_fence()
        if warp == MULTIPLY:
            cute.arch.alloc_tmem(512, address)
        cute.arch.sync_threads()
        base = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, address)
        operand = mma.make_fragment_A(storage.operands.get_tensor(layout))
        shape = mma.partition_shape_C((128, 128))
        sums = cute.make_tensor(base, mma.make_fragment_C(cute.append(shape, STAGES)).layout)
        source = storage.factors.get_tensor(scales)
        behind = tcgen05.find_tmem_tensor_col_offset(sums)
        of_a = cute.make_tensor(
            cute.recast_ptr(base + behind, dtype=self.factor),
            blockscaled.make_tmem_layout_sfa(mma, self.tile, VECTOR, cute.slice_(scales, (None, None, None, 0))),
        )
        behind = tcgen05.find_tmem_tensor_col_offset(of_a)
        of_b = cute.make_tensor(
            cute.recast_ptr(base + behind, dtype=self.factor),
            blockscaled.make_tmem_layout_sfb(mma, self.tile, VECTOR, cute.slice_(scales, (None, None, None, 0))),
        )
        if warp == MULTIPLY:
            self.multiply(mma, operand, source, sums, of_a, of_b, full, empty, tiles)
        else:
            self.emit(sums, full, empty, c, tiles, tidx)
        cute.arch.sync_threads()
        if warp == MULTIPLY:
            cute.arch.dealloc_tmem(base, 512)

    @cute.jit
    def multiply(self, mma, operand, source, sums, of_a, of_b, full, empty, tiles):
        atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(tcgen05.CtaGroup.ONE), self.factor)
        copy_a = tcgen05.make_s2t_copy(atom, of_a)
        copy_b = tcgen05.make_s2t_copy(atom, of_b)
        for n in cutlass.range(tiles):
            stage = n % STAGES
            cute.arch.mbarrier_wait(empty + stage, ((n // STAGES) & 1) ^ 1)
            cute.copy(copy_a, source, of_a)
            cute.copy(copy_b, source, of_b)
            for block in cutlass.range(cute.size(operand, mode=[2]), unroll_full=True):
                mma.set(tcgen05.Field.SFA, of_a[None, None, block].iterator)
                mma.set(tcgen05.Field.SFB, of_b[None, None, block].iterator)
                part = operand[None, None, block, 0]
                cute.gemm(mma, sums[None, None, None, stage], part, part, sums[None, None, None, stage])
            with cute.arch.elect_one():
                tcgen05.commit(full + stage)

    @cute.jit
    def emit(self, sums, full, empty, c, tiles, tidx):
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x128), cutlass.Float32)
        load = tcgen05.make_tmem_copy(atom, sums[(None, None), 0, 0, 0])
        source = load.get_slice(tidx).partition_S(sums[(None, None), 0, 0, None])
        values = cute.make_rmem_tensor((128,), cutlass.Float32)
        for n in cutlass.range(tiles):
            stage = n % STAGES
            cute.arch.mbarrier_wait(full + stage, (n // STAGES) & 1)
            cute.copy(load, source[None, None, None, stage], values)
            cute.arch.fence_view_async_tmem_load()
            cute.arch.mbarrier_arrive(empty + stage)
            c[tidx, n] = values[0]
