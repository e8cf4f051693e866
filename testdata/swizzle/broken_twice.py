# As right.py, but two threads write each chunk.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def turned(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cutlass.Array(Float32, 512, space=cutlass.AddressSpace.smem, alignment=128)
    rows = cutlass.Swizzle.from_name("s128b")
    (s.data_ptr() + t // 2 * 4).apply_swizzle(rows).store(Float32(t))
    cute.arch.barrier()
    b[t] = (s.data_ptr() + (127 - t) * 4).apply_swizzle(rows).load()


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    turned(a, b).launch(grid=(1, 1, 1), block=(128, 1, 1))
