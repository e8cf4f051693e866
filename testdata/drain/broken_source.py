# The tile of right.py, dealt out as tensor memory is, of which all lanes of a warp have all.
# expect: inconclusive
# reason: whether threads that write one element store one value is not known
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import tcgen05


class Drain:
    def __init__(self):
        self.threads = 128

    @cute.jit
    def __call__(self, accumulator: cute.Tensor, c: cute.Tensor):
        tile = cute.make_layout((128, 64), stride=(64, 1))

        @cute.struct
        class Storage:
            results: cute.struct.Align[cute.struct.MemRange[cutlass.Float32, cute.cosize(tile)], 128]

        self.storage = Storage
        wide = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=128)
        leaving = cute.make_tiled_copy_tv(wide, cute.make_layout((8, 16), stride=(16, 1)), cute.make_layout((1, 4)))
        self.kernel(accumulator, c, leaving, tile).launch(grid=(1, 1, 1), block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, accumulator: cute.Tensor, c: cute.Tensor, leaving: cute.TiledCopy, tile: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
        storage = utils.SmemAllocator().allocate(self.storage)
        results = storage.results.get_tensor(tile)
        load = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x64), cutlass.Float32)
        load = tcgen05.make_tmem_copy(load, accumulator)
        plain = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
        store = cute.make_tiled_copy_S(plain, load)
        own = store.get_slice(tidx).partition_D(results)
        held = cute.make_rmem_tensor_like(own)
        held.fill(0.0)
        cute.copy(store, held, own)
        cute.arch.barrier()
        out = leaving.get_slice(tidx)
        rows = out.partition_S(results)
        taken = cute.make_rmem_tensor_like(rows)
        cute.copy(leaving, rows, taken)
        cute.copy(leaving, taken, out.partition_D(cute.local_tile(c, (128, 64), (0, 0))))
