# What threads store by pointers of the array others load behind a barrier, and in rounds each thread loads what it has stored.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def mirrored(a: cute.Tensor, b: cute.Tensor, n: Int32):
    t, _, _ = cute.arch.thread_idx()
    s = cutlass.Array(Float32, 64, space=cutlass.AddressSpace.smem, alignment=128)
    u = cutlass.Array(Float32, 4096, space=cutlass.AddressSpace.smem, alignment=128)
    (s.data_ptr() + t).store(Float32(t))
    cute.arch.barrier()
    value = (s.data_ptr() + (63 - t)).load()
    for k in cutlass.range(t, n, 64):
        (u.data_ptr() + k).store(value)
        value += (u.data_ptr() + k).load()
    b[t] = value


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32):
    mirrored(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
