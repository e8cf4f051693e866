# As right_many_elements.py, without the barrier: only behind the first 256 elements do the two meet that race.
# expect: violated race
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
    total = cutlass.Float32(0)
    for k in cutlass.range_constexpr(EACH):
        total += s[(tid * EACH + k if k > 260 else k * 32 + tid)]
    b[tid] = total


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    sums(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))
