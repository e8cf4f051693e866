# One warp writes an element, another reads it, with a barrier between.
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
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS))
    warp = cute.arch.warp_idx()
    if warp == 0:
        s[0] = 1.0
    cute.arch.sync_threads()
    if warp == 1:
        b[t] = s[0]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
