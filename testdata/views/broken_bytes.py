# A view of shared memory begins so many bytes behind its address as an integer: among what other threads write.
# expect: inconclusive
# reason: whether threads that write one element store one value is not known
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(2 * THREADS), 16)
    bytes = cute.make_ptr(cutlass.Float32, s.iterator.toint() + 4 * (THREADS // 2), cute.AddressSpace.smem)
    v = cute.make_tensor(bytes, cute.make_layout(THREADS))
    s[t] = x[t]
    v[THREADS - 1 - t] = x[t]
    cute.arch.sync_threads()
    out[t] = s[t]


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
