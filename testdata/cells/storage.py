# A field of a struct in shared memory, laid out by the kernel.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.struct
class Storage:
    table: cute.struct.MemRange[cutlass.Float32, THREADS]


@cute.kernel
def cells(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    storage = smem.allocate(Storage)
    s = storage.table.get_tensor(cute.make_layout(THREADS))
    s[t] = a[t]
    cute.arch.sync_threads()
    b[t] = s[127 - t]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
