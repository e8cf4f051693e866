# A Hopper main loop as a class: one warp loads tiles by TMA, two warp groups multiply them. A stage is released one step
# after it was read, when the MMA that read it is known to be done, so there is a state for reading and one for releasing.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import cpasync, warpgroup


class MainLoop:
    def __init__(self, stages=3):
        self.stages = stages
        self.load_warp = 0
        self.math_groups = 2
        self.group_threads = 128
        self.threads = self.group_threads * (self.math_groups + 1)
        self.tile = (64, 64)
        self.dtype = cutlass.Float16

    @cute.jit
    def __call__(self, source: cute.Tensor, k_tiles: Int32):
        self.tile_bytes = self.tile[0] * self.tile[1] * self.dtype.width // 8

        @cute.struct
        class Storage:
            barriers: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            tiles: cute.struct.Align[cute.struct.MemRange[self.dtype, self.tile[0] * self.tile[1] * self.stages], 1024]

        self.storage = Storage
        self.layout = cute.make_layout((self.tile[0], self.tile[1], self.stages), stride=(self.tile[1], 1, self.tile[0] * self.tile[1]))
        one = cute.slice_(self.layout, (None, None, 0))
        self.mma = cute.make_tiled_mma(warpgroup.MmaF16BF16Op(self.dtype, cutlass.Float32, (64, 64, 16), warpgroup.OperandSource.SMEM))
        atom, tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), source, one, self.tile)
        self.kernel(self.mma, atom, tensor, k_tiles).launch(grid=(1, 1, 1), block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, atom: cute.CopyAtom, source: cute.Tensor, k_tiles: Int32):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        buffer = storage.tiles.get_tensor(self.layout)
        pieces = cute.local_tile(source, self.tile, (0, None))
        stages, parts = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(buffer, 0, 2), cute.group_modes(pieces, 0, 2))
        tiles = pipeline.PipelineTmaAsync.create(
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, self.math_groups * self.group_threads // 32),
            tx_count=self.tile_bytes,
            barrier_storage=storage.barriers.data_ptr(),
        )
        if warp < self.group_threads // 32:
            cute.arch.setmaxregister_decrease(40)
            if warp == self.load_warp:
                self.load(tiles, atom, parts, stages, k_tiles)
        else:
            cute.arch.setmaxregister_increase(232)
            self.multiply(tiles, mma, buffer, k_tiles)

    @cute.jit
    def load(self, tiles, atom: cute.CopyAtom, parts: cute.Tensor, stages: cute.Tensor, k_tiles: Int32):
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
        for k in cutlass.range(k_tiles, unroll=1):
            tiles.producer_acquire(state)
            cute.copy(atom, parts[(None, k)], stages[(None, state.index)], tma_bar_ptr=tiles.producer_get_barrier(state))
            tiles.producer_commit(state)
            state.advance()
        tiles.producer_tail(state)

    @cute.jit
    def multiply(self, tiles, mma: cute.TiledMma, stages: cute.Tensor, k_tiles: Int32):
        part = mma.get_slice(0)
        a = mma.make_fragment_A(part.partition_A(stages))
        sums = cute.make_rmem_tensor((self.tile[0], self.tile[0]), cutlass.Float32)
        reads = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        releases = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
        behind = cutlass.min(1, k_tiles)
        for k in cutlass.range(behind, unroll=1):
            tiles.consumer_wait(reads)
            warpgroup.fence()
            cute.gemm(mma, sums, a[(None, None, None, reads.index)], a[(None, None, None, reads.index)], sums)
            warpgroup.commit_group()
            reads.advance()
        for k in cutlass.range(behind, k_tiles, unroll=1):
            tiles.consumer_wait(reads)
            warpgroup.fence()
            cute.gemm(mma, sums, a[(None, None, None, reads.index)], a[(None, None, None, reads.index)], sums)
            warpgroup.commit_group()
            warpgroup.wait_group(1)
            tiles.consumer_release(releases)
            releases.advance()
            reads.advance()
        warpgroup.wait_group(0)
        for k in cutlass.range(behind, unroll=1):
            tiles.consumer_release(releases)
            releases.advance()
