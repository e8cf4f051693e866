# A thread reads three hundred elements of its own between two barriers.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

EACH = 300


@cute.kernel
def sums(a: cute.Tensor, b: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(32 * EACH), 16)
    for k in cutlass.range_constexpr(EACH):
        s[k * 32 + tid] = a[k * 32 + tid]
    cute.arch.sync_threads()
    total = cutlass.Float32(0)
    for k in cutlass.range_constexpr(EACH):
        total += s[tid * EACH + k]
    b[tid] = total


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    sums(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))
