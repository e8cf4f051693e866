# A function of a module of Python computes with what shared memory holds.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
import operator

THREADS = 128


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(2 * THREADS), 16)
    s[t] = x[t]
    cute.arch.sync_threads()
    out[t] = operator.add(s[t], s[operator.sub(THREADS - 1, t)])


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
