# Each thread stores two chunks that are neighbours, where a swizzle may have put them apart: what another thread reads may be among them.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def turned(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cutlass.Array(Float32, 512, space=cutlass.AddressSpace.smem, alignment=128)
    rows = cutlass.Swizzle.from_name("s128b")
    (s.data_ptr() + t // 2 * 8).apply_swizzle(rows).store(cute.make_rmem_tensor(8, Float32).load(), vector_size=8)
    b[t] = (s.data_ptr() + (127 - t) * 4).apply_swizzle(rows).load()


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    turned(a, b).launch(grid=(1, 1, 1), block=(128, 1, 1))
