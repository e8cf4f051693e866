# An address in shared memory is a number that the running kernel reads: what is stored there may be what others read.
# expect: inconclusive
# reason: through an address that is not followed
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, where: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout((64,)), 16)
    p = cute.make_ptr(Float32, where[t], cute.AddressSpace.smem, assumed_align=4)
    s[t] = a[t]
    cute.arch.barrier()
    v = s[63 - t]
    x = cute.make_tensor(p, cute.make_layout((1,)))
    x[0] = v
    b[t] = v


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, where: cute.Tensor):
    kernel(a, b, where).launch(grid=(1, 1, 1), block=(64, 1, 1))
