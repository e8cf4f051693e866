# A function is compiled with a constant between its arguments, and what that gives is called without it: the launch is the same.
# expect: holds
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
        s[t * each + i] = a[t * each + i]
    b[t] = s[t * each]


@cute.jit
def host(a: cute.Tensor, each: cutlass.Constexpr, b: cute.Tensor):
    copied(a, each, b).launch(grid=(1, 1, 1), block=(64, 1, 1))


def main(a, b):
    f = cute.compile(host, a, 4, b)
    f(a, b)
    f(a, b)
