# Tiles go from global memory through a ring to threads that change them, and from there out again, both ways by TMA. One
# helper partitions either way: which of the two tensors is the shared one it asks the tensors, and which way a copy goes
# the class of its operation.
# expect: holds open=race,race-grid
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import cpasync


def mover(atom, source, target, **given):
    from_shared = cutlass.const_expr(isinstance(source.iterator, cute.Pointer) and source.memspace == cute.AddressSpace.smem)
    shared, far = (source, target) if from_shared else (target, source)
    s, g = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(shared, 0, 2), cute.group_modes(far, 0, 2))
    a, b = (s, g) if from_shared else (g, s)

    def move(i, j, **more):
        cute.copy(atom, a[None, i], b[None, j], **given, **more)

    return move


class Changer:
    def __init__(self, stages=3):
        self.stages = stages
        self.group = 128
        self.tile = (64, 64)
        self.dtype = cutlass.Float16

    @cute.jit
    def __call__(self, source: cute.Tensor, out: cute.Tensor, tiles: Int32):
        self.tile_bytes = self.tile[0] * self.tile[1] * self.dtype.width // 8

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            ring: cute.struct.Align[cute.struct.MemRange[self.dtype, self.tile[0] * self.tile[1] * self.stages], 1024]
            result: cute.struct.Align[cute.struct.MemRange[self.dtype, self.tile[0] * self.tile[1] * 2], 1024]

        self.storage = Storage
        self.layout = cute.make_layout((self.tile[0], self.tile[1], self.stages), stride=(self.tile[1], 1, self.tile[0] * self.tile[1]))
        self.pair = cute.make_layout((self.tile[0], self.tile[1], 2), stride=(self.tile[1], 1, self.tile[0] * self.tile[1]))
        one = cute.slice_(self.layout, (None, None, 0))
        load, far = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), source, one, self.tile)
        store, end = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), out, one, self.tile)
        self.kernel(load, far, store, end, tiles).launch(grid=(1, 1, 1), block=(2 * self.group, 1, 1))

    @cute.kernel
    def kernel(self, load: cute.CopyAtom, source: cute.Tensor, store: cute.CopyAtom, out: cute.Tensor, tiles: Int32):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        storage = utils.SmemAllocator().allocate(self.storage)
        ring = storage.ring.get_tensor(self.layout)
        result = storage.result.get_tensor(self.pair)
        full = pipeline.PipelineTmaAsync.create(
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, self.group // 32),
            tx_count=self.tile_bytes,
            barrier_storage=storage.barriers.data_ptr(),
        )
        if warp < self.group // 32:
            if warp == 0:
                self.fetch(full, load, cute.local_tile(source, self.tile, (0, None)), ring, tiles)
        else:
            self.change(full, store, ring, result, cute.local_tile(out, self.tile, (0, None)), warp == self.group // 32, tiles)

    @cute.jit
    def fetch(self, full, load: cute.CopyAtom, pieces: cute.Tensor, ring: cute.Tensor, tiles: Int32):
        move = mover(load, pieces, ring)
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        for k in cutlass.range(tiles, unroll=1):
            full.producer_acquire(state)
            move(k, state.index, tma_bar_ptr=full.producer_get_barrier(state))
            full.producer_commit(state)
            state.advance()
        full.producer_tail(state)

    @cute.jit
    def change(self, full, store: cute.CopyAtom, ring: cute.Tensor, result: cute.Tensor, pieces: cute.Tensor, stores, tiles: Int32):
        leaving = isinstance(store.op, cpasync.CopyBulkTensorTileS2GOp)
        source, target = (result, pieces) if leaving else (pieces, result)
        move = mover(store, source, target)
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), self.dtype)
        tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 8)))
        mine = tiled.get_slice(cute.arch.thread_idx()[0] - self.group)
        read, written = mine.partition_S(ring), mine.partition_D(result)
        values = cute.make_rmem_tensor_like(read[None, None, None, 0])
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        for k in cutlass.range(tiles, unroll=1):
            half = k % 2
            full.consumer_wait(state)
            cute.copy(tiled, read[None, None, None, state.index], values)
            full.consumer_release(state)
            state.advance()
            if stores:
                cute.arch.cp_async_bulk_wait_group(1, read=True)
            cute.arch.barrier(barrier_id=1, number_of_threads=self.group)
            cute.copy(tiled, values, written[None, None, None, half])
            cute.arch.fence_proxy("async.shared", space="cta")
            cute.arch.barrier(barrier_id=1, number_of_threads=self.group)
            if stores:
                move(half, k)
                cute.arch.cp_async_bulk_commit_group()
        if stores:
            cute.arch.cp_async_bulk_wait_group(0, read=True)
