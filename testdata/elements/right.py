# What a register holds is a number, whatever it is worth, so what is worked out of it is not None, as the helper asks.
# expect: holds
# small: -
from functools import partial

import cutlass
import cutlass.cute as cute
from cutlass import Float32, const_expr

added = partial(cute.arch.add_packed_f32x2, rnd="rn")


@cute.jit
def halves(a, b=None):
    both = [added((b, 0.0), (a, a)) if const_expr(b is not None) else (a, a)]
    for i in cutlass.range_constexpr(2):
        both[0] = added(both[0], (a, a))
    return both[0][0] + both[0][1]


@cute.kernel
def summed(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout((64,)), 16)
    rows = cute.make_rmem_tensor(1, Float32)
    rows[0] = halves(a[t])
    s[t] = rows[0]
    more = halves(a[t], rows[0] * 2)
    cute.arch.barrier()
    b[t] = s[63 - t] + more


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    summed(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))
