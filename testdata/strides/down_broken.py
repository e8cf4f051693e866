# What is left of an array is counted down by blocks of 128 elements; nothing keeps the next one from overwriting what is still read.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int32


@cute.kernel
def mirror(a: cute.Tensor, b: cute.Tensor, n: Int32):
    tid, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(128), 16)
    left = n
    while left > 0:
        s[tid] = a[left + tid]  # want FP720
        cute.arch.sync_threads()
        b[left + tid] = s[127 - tid]
        left -= 128


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, n: Int32):
    mirror(a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
