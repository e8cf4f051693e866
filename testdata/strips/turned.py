# Four warps leave a tile of results in shared memory as their multiplication deals it out, 16 rows a warp, and take it out
# again as wide copies of whole rows, in which a warp has rows of all of them: only a barrier of the CTA orders the two.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import warp


class Turned:
    def __init__(self):
        self.threads = 128

    @cute.jit
    def __call__(self, c: cute.Tensor):
        tile = cute.make_layout((64, 64), stride=(64, 1))

        @cute.struct
        class Storage:
            results: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(tile)], 128]

        self.storage = Storage
        wide = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)
        leaving = cute.make_tiled_copy_tv(wide, cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 8)))
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (4, 1, 1), permutation_mnk=(64, 16, 16))
        self.kernel(c, leaving, mma, tile).launch(grid=(1, 1, 1), block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, c: cute.Tensor, leaving: cute.TiledCopy, mma: cute.TiledMma, tile: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
        storage = utils.SmemAllocator().allocate(self.storage)
        results = storage.results.get_tensor(tile)
        acc = cute.make_rmem_tensor(mma.get_slice(tidx).partition_shape_C((64, 64)), cutlass.Float16)
        keep = cute.make_tiled_copy_C(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16), mma)
        kept = keep.get_slice(tidx).partition_D(results)
        out = leaving.get_slice(tidx)
        rows = out.partition_S(results)
        held = cute.make_rmem_tensor_like(rows)
        cute.copy(keep, acc, kept)
        cute.arch.sync_threads()
        cute.copy(leaving, rows, held)
        cute.copy(leaving, held, out.partition_D(cute.local_tile(c, (64, 64), (0, 0))))
