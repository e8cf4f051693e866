# As compiled.py, of a kernel that reads what another thread writes for this constant.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def copied(a: cute.Tensor, each: cutlass.Constexpr, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(64 * each))
    for i in cutlass.range_constexpr(each):
        s[t * each + i] = a[t * each + i]  # want FP720
    b[t] = s[t * (each - 1)]


@cute.jit
def host(a: cute.Tensor, each: cutlass.Constexpr, b: cute.Tensor):
    copied(a, each, b).launch(grid=(1, 1, 1), block=(64, 1, 1))


def main(a, b):
    f = cute.compile(host, a, 4, b)
    f(a, b)
    f(a, b)
