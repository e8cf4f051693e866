# Threads multiply numbers of their own registers: parts of two tiles that each of them has read from shared memory.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def products(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    x = smem.allocate_tensor(Float32, cute.make_layout((32, 8)))
    y = smem.allocate_tensor(Float32, cute.make_layout((32, 8)))
    for i in cutlass.range_constexpr(4):
        x[t % 32, 2 * i + t // 32] = a[t, i]
        y[t % 32, 2 * i + t // 32] = b[t, i]
    mine = mma.get_slice(t)
    own_a, own_b, own_c = mine.partition_A(x), mine.partition_B(y), mine.partition_C(c)
    held_a, held_b = mma.make_fragment_A(own_a), mma.make_fragment_B(own_b)
    sums = mma.make_fragment_C(own_c)
    sums.fill(0.0)
    cute.arch.barrier()
    for k in cutlass.range_constexpr(cute.size(held_a, mode=[2])):
        cute.autovec_copy(own_a[None, None, k], held_a[None, None, k])
        cute.autovec_copy(own_b[None, None, k], held_b[None, None, k])
        cute.gemm(mma, sums, held_a[None, None, k], held_b[None, None, k], sums)
    cute.autovec_copy(sums, own_c)


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(Float32), cute.make_layout((8, 8, 1)))
    products(a, b, c, mma).launch(grid=(1, 1, 1), block=(64, 1, 1))
