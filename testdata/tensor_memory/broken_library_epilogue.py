# As right_library_epilogue.py, but the accumulator is multiplied into again without a wait: the epilogue may still read it.
# expect: violated deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import cpasync, tcgen05

STAGES = 2
MULTIPLY = 4


class Product:
    def __init__(self):
        self.cta_tile_shape_mnk = (128, 128, 64)
        self.acc_dtype = cutlass.Float32
        self.epilogue_warp_id = (0, 1, 2, 3)
        self.epilog_sync_bar_id = 1
        self.num_c_stage = 2
        self.use_2cta_instrs = False

    @cute.jit
    def __call__(self, c: cute.Tensor, tiles: Int32):
        major = cute.nvgpu.OperandMajorMode.K
        self.c_dtype = cutlass.Float16
        self.c_layout = utils.LayoutEnum.ROW_MAJOR
        mma = utils.sm100.make_trivial_tiled_mma(
            cutlass.Float16, major, major, cutlass.Float32, tcgen05.CtaGroup.ONE, (128, 128)
        )
        self.epi_tile = (128, 32)
        operands = utils.sm100.make_smem_layout_a(mma, self.cta_tile_shape_mnk, cutlass.Float16, 1)
        staged = utils.sm100.make_smem_layout_epi(cutlass.Float16, self.c_layout, self.epi_tile, self.num_c_stage)
        atom, mC = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(staged, (None, None, 0)), self.epi_tile
        )

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, 2 * STAGES]
            address: cutlass.Int32
            operands: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(operands)], 1024]
            tile: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(staged)], 1024]

        self.storage = Storage
        self.kernel(mma, operands, staged, atom, mC, tiles).launch(grid=(1, 1, 1), block=(160, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, layout: cute.Layout, staged: cute.ComposedLayout, atom: cute.CopyAtom, mC: cute.Tensor, tiles: Int32):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        address = storage.address.ptr
        ring = pipeline.PipelineUmmaAsync.create(
            barrier_storage=storage.full.data_ptr(),
            num_stages=STAGES,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
        )
        if warp == MULTIPLY:
            cute.arch.alloc_tmem(512, address)
        cute.arch.sync_threads()
        base = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, address)
        operand = mma.make_fragment_A(storage.operands.get_tensor(layout))
        sums = cute.make_tensor(base, mma.make_fragment_C(cute.append(mma.partition_shape_C((128, 128)), STAGES)).layout)
        tile = storage.tile.get_tensor(staged)
        if warp == MULTIPLY:
            state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
            for n in cutlass.range(tiles):
                part = operand[None, None, 0, 0]
                cute.gemm(mma, sums[None, None, None, state.index], part, part, sums[None, None, None, state.index])
                ring.producer_commit(state)
                state.advance()
            ring.producer_tail(state)
        else:
            gC = cute.local_tile(mC, (128, 128), (None, None, None))
            tCgC = mma.get_slice(0).partition_C(gC)
            state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
            stores = pipeline.PipelineTmaStore.create(
                num_stages=self.num_c_stage, producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)
            )
            for n in cutlass.range(tiles):
                state = utils.gemm.sm100.epilogue_tma_store(
                    self, tidx, warp, atom, sums, tile, tCgC, self.epi_tile, n, lambda x: x, (n, 0, 0), state, ring, stores
                )
            stores.producer_tail()
        cute.arch.sync_threads()
        if warp == MULTIPLY:
            cute.arch.dealloc_tmem(base, 512)
