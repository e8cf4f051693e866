# Each column of a tile has a thread for each of its rows, and an element of its own.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def columns(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(64))
    w = cute.make_tensor(s.iterator, cute.make_layout((4, 16), stride=(16, 1)))
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32, num_bits_per_copy=32)
    copy = cute.make_tiled_copy_tv(atom, cute.make_layout((4, 16)), cute.make_layout((1, 1)))
    mine = copy.get_slice(t)
    held = cute.make_fragment_like(mine.partition_S(w))
    cute.copy(copy, mine.partition_S(a), held)
    cute.copy(copy, held, mine.partition_D(w))
    cute.arch.barrier()
    b[t] = s[t % 16]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    columns(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
