# Each round fences what the round before wrote, ahead of its own writes: what it sends has no fence behind it.
# expect: holds open=proxy
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import cpasync, tcgen05

STAGES = 2
OUTS = 2
PARTS = 3


class Product:
    def __init__(self):
        self.tile = (128, 128, 64)
        self.writers = (2, 3)

    @cute.jit
    def __call__(self, a: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, 128, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM)
        )
        filled = utils.sm100.make_smem_layout_a(mma, self.tile, cutlass.Float16, STAGES)
        leaving = utils.sm100.make_smem_layout_epi(cutlass.Float16, utils.LayoutEnum.ROW_MAJOR, (128, 32), OUTS)

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, STAGES]
            empty: cute.struct.MemRange[cutlass.Int64, STAGES]
            done: cutlass.Int64
            tiles: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(filled)], 1024]
            results: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(leaving)], 1024]

        self.storage = Storage
        self.stage_bytes = cute.size_in_bytes(cutlass.Float16, cute.select(filled, mode=[0, 1, 2]))
        load, whole = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, filled, (128, 64))
        store, out = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), c, leaving, (128, 32))
        self.kernel(mma, load, whole, store, out, filled, leaving).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, load: cute.CopyAtom, whole: cute.Tensor, store: cute.CopyAtom, out: cute.Tensor, filled: cute.Layout, leaving: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        full = storage.full.data_ptr()
        empty = storage.empty.data_ptr()
        done = storage.done.ptr
        tiles = storage.tiles.get_tensor(filled)
        results = storage.results.get_tensor(leaving)
        if tidx == 0:
            for s in cutlass.range_constexpr(STAGES):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, 1)
            cute.arch.mbarrier_init(done, 1)
            cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()

        source = cute.local_tile(whole, (128, 64), (0, None))
        into, where = cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(tiles, 0, 3), cute.group_modes(source, 0, 2))
        operand = mma.make_fragment_A(tiles)
        acc = mma.make_fragment_C(mma.partition_shape_C((128, 128)))
        count = cute.size(source, mode=[2])
        if warp == 0:
            self.fill(load, where, into, full, empty, count)
        elif warp == 1:
            self.multiply(mma, operand, acc, full, empty, done, count)
        else:
            cute.arch.mbarrier_wait(done, 0)
            self.emit(store, acc, results, out, tidx % 64)

    @cute.jit
    def fill(self, load, where, into, full, empty, count):
        stage = Int32(0)
        phase = Int32(1)
        for k in cutlass.range(count):
            cute.arch.mbarrier_wait(empty + stage, phase)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, self.stage_bytes)
            cute.copy(load, where[(None, k)], into[(None, stage)], tma_bar_ptr=full + stage)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1

    @cute.jit
    def multiply(self, mma, operand, acc, full, empty, done, count):
        stage = Int32(0)
        phase = Int32(0)
        for k in cutlass.range(count):
            cute.arch.mbarrier_wait(full + stage, phase)
            for block in cutlass.range(cute.size(operand, mode=[2]), unroll_full=True):
                part = operand[None, None, block, stage]
                cute.gemm(mma, acc, part, part, acc)
            with cute.arch.elect_one():
                tcgen05.commit(empty + stage)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1
        with cute.arch.elect_one():
            tcgen05.commit(done)

    @cute.jit
    def emit(self, store, acc, results, out, tidx):
        staged = cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), cute.make_layout(64), cute.make_layout(8)).get_slice(tidx)
        parts = staged.partition_D(results)
        values = cute.make_rmem_tensor((8,), cutlass.Float16)
        target = cute.local_tile(out, (128, 32), (0, None))
        outgoing, there = cpasync.tma_partition(store, 0, cute.make_layout(1), cute.group_modes(results, 0, 2), cute.group_modes(target, 0, 2))
        for i in cutlass.range_constexpr(PARTS):
            cute.arch.fence_proxy("async.shared", space="cta")
            slot = i % OUTS
            cute.copy(staged, values, parts[None, None, None, slot])
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
            if tidx < 32:
                cute.copy(store, outgoing[None, slot], there[None, i])
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(OUTS - 1, read=True)
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
        if tidx < 32:
            cute.arch.cp_async_bulk_wait_group(0, read=True)
