# Two threads have one part of a tile.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.kernel
def cells(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((32, 16)))
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float32)
    tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((32, 4)), cute.make_layout((1, 4)))
    mine = tiled.get_slice(t % 64)
    part = mine.partition_D(s)
    cute.arch.sync_threads()
    cute.copy(tiled, mine.partition_S(a), part)
    held = cute.make_rmem_tensor_like(part)
    cute.copy(tiled, part, held)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
