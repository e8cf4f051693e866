# A view is made anew over the address of another one, with the type and the space that its pointer has: of the same four elements.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


def aligned(view):
    p = view.iterator
    return cute.make_tensor(cute.make_ptr(p.dtype, p.toint(), p.memspace, assumed_align=16), view.layout)


@cute.kernel
def packed(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout((4, 64), stride=(1, 4)), byte_alignment=16)
    held = cute.make_rmem_tensor((4,), Float32)
    for i in cutlass.range_constexpr(4):
        held[i] = a[4 * t + i]
    cute.autovec_copy(held, aligned(s[None, t]))
    b[t] = s[0, t]


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    packed(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
