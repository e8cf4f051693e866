# An array of the DSL that is in shared memory.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.kernel
def cells(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    s = cutlass.Array(cutlass.Float32, THREADS, space=cutlass.AddressSpace.smem)
    s[t] = a[t]
    cute.arch.sync_threads()
    b[t] = s[127 - t]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
