# A loop of threads over a tensor whose test asks for an extent by brackets: it polls nothing.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def kernel(values: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    scratch = cutlass.utils.SmemAllocator().allocate_tensor(Float32, cute.make_layout(64), 16)
    most = Float32(0.0)
    at = block * 64 + thread
    while at < values.shape[0]:
        most = cute.arch.fmax(most, values[at])
        at += 512
    scratch[thread] = most
    cute.arch.sync_threads()
    out[block * 64 + thread] = scratch[63 - thread]


@cute.jit
def main(values: cute.Tensor, out: cute.Tensor):
    kernel(values, out).launch(grid=(8, 1, 1), block=(64, 1, 1))
