# The consumer hands the stage back behind the last piece of the tile. A class says how wide its tile is; TMA copies the tile, so it has a piece.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32, Int64


class Sums:
    def __init__(self, width: int):
        self.tile = (64, width)
        self.pieces = cute.ceil_div(width, 32)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, n: Int32):
        atom, source = cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a, cute.make_layout(self.tile), self.tile)
        self.kernel(atom, source, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, source: cute.Tensor, b: cute.Tensor, n: Int32):
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = utils.SmemAllocator()
        full = smem.allocate_array(Int64, 1)
        empty = smem.allocate_array(Int64, 1)
        if tid == 0:
            cute.arch.mbarrier_init(full, 1)
            cute.arch.mbarrier_init(empty, 32)
            cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        if warp == 0:
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(empty, (i + 1) % 2)
                cute.arch.sync_warp()
                if tid == 0:
                    cute.arch.mbarrier_arrive(full)
        else:
            for i in cutlass.range(n):
                cute.arch.mbarrier_wait(full, i % 2)
                for piece in cutlass.range(self.pieces):
                    if piece == self.pieces - 1:
                        cute.arch.mbarrier_arrive(empty)
