# The mbarriers of two fields that stand behind each other are used as one array, and as the second field.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int64


@cute.struct
class Storage:
    full: cute.struct.MemRange[Int64, 2]
    empty: cute.struct.MemRange[Int64, 2]
    row: cute.struct.MemRange[Float32, 64]


@cute.kernel
def kernel(source: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    storage = smem.allocate(Storage)
    bars = storage.full.data_ptr()
    empty = storage.empty.data_ptr()
    row = storage.row.get_tensor(cute.make_layout(64))
    if tid == 0:
        for i in cutlass.range_constexpr(4):
            cute.arch.mbarrier_init(bars + i, 64)
    cute.arch.sync_threads()
    row[tid] = source[tid]
    cute.arch.mbarrier_arrive(bars + 3)
    cute.arch.mbarrier_wait(empty + 1, 0)
    out[tid] = row[63 - tid]


@cute.jit
def host(source: cute.Tensor, out: cute.Tensor):
    kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
