# Vectors pass through the stages of a table: TMA fills a stage, and each of four warps reads the piece of it that an index
# read from memory names. The results are written to pieces of a tile in the same way, and TMA stores the tile. Which piece
# is whose is not known, but a copy of a whole stage meets every piece of it. Nor is it known that no two warps write one
# piece: the indices say.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int32
from cutlass.cute.nvgpu import cpasync

STAGES = 2
WARPS = 4
PIECE = 32


class Pieces:
    def __init__(self):
        self.length = WARPS * PIECE
        self.threads = 32 * (WARPS + 1)

    @cute.jit
    def __call__(self, vectors: cute.Tensor, order: cute.Tensor, result: cute.Tensor):
        table = cute.make_layout((self.length, STAGES))
        tile = cute.make_layout((self.length, 1))

        @cute.struct
        class Storage:
            full: cute.struct.MemRange[cutlass.Int64, STAGES]
            empty: cute.struct.MemRange[cutlass.Int64, STAGES]
            table: cute.struct.Align[cute.struct.MemRange[Float32, cute.cosize(table)], 128]
            tile: cute.struct.Align[cute.struct.MemRange[Float32, cute.cosize(tile)], 128]

        self.storage = Storage
        one = cute.slice_(table, (None, 0))
        load, source = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), vectors, one, (self.length,))
        store, target = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), result, one, (self.length,))
        self.kernel(load, source, order, store, target, table, tile).launch(grid=(1, 1, 1), block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, load: cute.CopyAtom, source: cute.Tensor, order: cute.Tensor, store: cute.CopyAtom, target: cute.Tensor, table: cute.Layout, tile: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        full = storage.full.data_ptr()
        empty = storage.empty.data_ptr()
        stats = storage.table.get_tensor(table)
        sums = storage.tile.get_tensor(tile)
        if tidx == 0:
            for s in cutlass.range_constexpr(STAGES):
                cute.arch.mbarrier_init(full + s, 1)
                cute.arch.mbarrier_init(empty + s, WARPS)
            cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        vectors = cute.local_tile(source, (self.length,), (None,))
        count = cute.size(vectors, mode=[1])
        if warp == WARPS:
            into, parts = cpasync.tma_partition(load, 0, cute.make_layout(1), cute.group_modes(stats, 0, 1), cute.group_modes(vectors, 0, 1))
            self.fill(load, parts, into, full, empty, count)
        else:
            out, there = cpasync.tma_partition(store, 0, cute.make_layout(1), cute.group_modes(sums, 0, 1), cute.group_modes(cute.local_tile(target, (self.length,), (None,)), 0, 1))
            self.reduce(store, stats, sums, out, there, order, full, empty, warp, count)

    @cute.jit
    def fill(self, load, parts, into, full, empty, count):
        stage = Int32(0)
        phase = Int32(1)
        for k in cutlass.range(count, unroll=1):
            cute.arch.mbarrier_wait(empty + stage, phase)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full + stage, self.length * 4)
            cute.copy(load, parts[(None, k)], into[(None, stage)], tma_bar_ptr=full + stage)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1

    @cute.jit
    def reduce(self, store, stats, sums, out, there, order, full, empty, warp, count):
        stage = Int32(0)
        phase = Int32(0)
        pieces = cute.flat_divide(stats, (PIECE,))
        places = cute.flat_divide(sums, (PIECE,))
        held = cute.make_rmem_tensor((PIECE,), Float32)
        for k in cutlass.range(count, unroll=1):
            mine = order[k * WARPS + warp]
            cute.arch.mbarrier_wait(full + stage, phase)
            cute.autovec_copy(pieces[None, mine, stage], held)
            cute.arch.sync_warp()
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive(empty + stage)
            cute.autovec_copy(held, places[None, mine, 0])
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.barrier(barrier_id=1, number_of_threads=32 * WARPS)
            if warp == 0:
                cute.copy(store, out[None, 0], there[None, k])
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(0, read=True)
            cute.arch.barrier(barrier_id=1, number_of_threads=32 * WARPS)
            stage += 1
            if stage == STAGES:
                stage = Int32(0)
                phase ^= 1
