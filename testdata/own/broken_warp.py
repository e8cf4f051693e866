# Each warp waits for itself only at a barrier that counts one warp: what the other one writes is not waited for.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(64))
    for i in cutlass.range(n):
        s[t] = a[t]  # want FP720
        cute.arch.barrier(barrier_id=1, number_of_threads=32)
        b[t] += s[63 - t]
        cute.arch.barrier(barrier_id=1, number_of_threads=32)


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    mirror(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
