# The second half of shared memory that is divided by a layout is written beside the first.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(2 * THREADS), 16)
    part = cute.logical_divide(s, cute.make_layout(THREADS))[(None, 1)]
    s[t] = x[t]
    part[THREADS - 1 - t] = x[t]
    cute.arch.sync_threads()
    out[t] = s[t] + s[THREADS + t]


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
