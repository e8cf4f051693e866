# Threads write a tile by rows and read it by columns.
# expect: violated race
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
    rows = cute.make_tiled_copy_tv(atom, cute.make_layout((32, 4)), cute.make_layout((1, 4)))
    columns = cute.make_tiled_copy_tv(atom, cute.make_layout((16, 8)), cute.make_layout((2, 1)))
    mine, other = rows.get_slice(t), columns.get_slice(t)
    held = cute.make_rmem_tensor_like(other.partition_S(s))
    cute.copy(rows, mine.partition_S(a), mine.partition_D(s))  # want FP720
    cute.arch.sync_warp()
    cute.copy(columns, other.partition_S(s), held)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
