# An address of shared memory is an integer and one again, and counts elements then.
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
    bytes = cute.make_ptr(cutlass.Float32, s.iterator.toint(), cute.AddressSpace.smem)
    v = cute.make_tensor(bytes + THREADS, cute.make_layout(THREADS))
    s[t] = x[t]
    v[THREADS - 1 - t] = x[t]
    cute.arch.sync_threads()
    out[t] = s[t] + s[THREADS + t]


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
