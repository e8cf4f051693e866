# As right.py, by the methods that swizzle on their way.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def turned(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cutlass.Array(Float32, 512, space=cutlass.AddressSpace.smem, alignment=128)
    rows = cutlass.Swizzle.from_name("s128b")
    (s.data_ptr() + t * 4).store_swizzled(Float32(t), rows)
    cute.arch.barrier()
    b[t] = (s.data_ptr() + (127 - t) * 4).load_swizzled(rows)


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    turned(a, b).launch(grid=(1, 1, 1), block=(128, 1, 1))
