# Two groups of two warps take tiles in turn: the second begins with the second tile, which it is told by an object.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64

GROUP = 64


class Tiles:
    def __init__(self, first, many):
        self.at = first
        self.many = many

    def advance(self):
        self.at = self.at + 1

    def current(self):
        return Tile(self.at, self.at < self.many)


class Tile:
    def __init__(self, at, valid):
        self.at = at
        self.valid = valid


@cute.kernel
def alternate(source: cute.Tensor, out: cute.Tensor, many: Int32):
    tid, _, _ = cute.arch.thread_idx()
    group = cute.arch.make_warp_uniform(cute.arch.warp_idx()) // 2
    smem = cutlass.utils.SmemAllocator()
    mine = smem.allocate_tensor(Float32, cute.make_layout((GROUP, 2)))
    tiles = Tiles(Int32(0), many)
    tile = tiles.current()
    if group == 1:
        tiles.advance()
        tile = tiles.current()
    while tile.valid:
        mine[tid % GROUP, group] = source[tile.at, tid % GROUP]
        cute.arch.barrier(barrier_id=1 + group, number_of_threads=GROUP)
        out[tile.at, tid % GROUP] = mine[GROUP - 1 - tid % GROUP, group]
        cute.arch.barrier(barrier_id=1 + group, number_of_threads=GROUP)
        tiles.advance()
        tiles.advance()
        tile = tiles.current()


@cute.jit
def main(source: cute.Tensor, out: cute.Tensor, many: Int32):
    alternate(source, out, many).launch(grid=(1, 1, 1), block=(2 * GROUP, 1, 1))
