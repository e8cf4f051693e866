# A tiled copy is made of a layout of threads and values: no two threads have an element in common, also of rows that several share.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float16


@cute.kernel
def kept(a: cute.Tensor, b: cute.Tensor, tv: cute.Layout, tiler: cute.Shape):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float16, cute.make_ordered_layout(tiler, order=(1, 0)), byte_alignment=16)
    load = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), Float16, num_bits_per_copy=128)
    mine = cute.make_tiled_copy(load, tv, tiler).get_slice(t)
    source, own = mine.partition_S(cute.local_tile(a, tiler, (0, 0))), mine.partition_D(s)
    cute.copy(load, source, own)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    held = cute.make_fragment_like(own)
    cute.autovec_copy(own, held)
    cute.autovec_copy(held, mine.partition_D(cute.local_tile(b, tiler, (0, 0))))


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    tv = cute.make_layout(((32, 4), (8, 2)), stride=((32, 1), (4, 1024)))
    kept(a, b, tv, (4, 512)).launch(grid=(1, 1, 1), block=(128, 1, 1))
