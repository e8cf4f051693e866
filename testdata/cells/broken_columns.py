# Each thread copies a column into shared memory, and takes the one of another warp from there.
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
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((4, THREADS)))
    held = cute.make_rmem_tensor(cute.make_layout(4), cutlass.Float32)
    cute.autovec_copy(a[None, t], s[None, t])  # want FP720
    cute.arch.sync_warp()
    cute.autovec_copy(s[None, 127 - t], held)
    cute.autovec_copy(held, b[None, t])


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
