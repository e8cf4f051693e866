# As llvm.py, but the flag is set as an element of its tensor ahead of the data, too: one memory by two names.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def kernel(flags: cute.Tensor, data: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    if block == 0:
        if thread == 0:
            flags[0] = Int32(1)
        data[thread] = Float32(1.0)
    else:
        if thread == 0:
            seen = cute.arch.load(flags.iterator.llvm_ptr, Int32, sem="acquire", scope="gpu")
            while seen != 1:
                seen = cute.arch.load(flags.iterator.llvm_ptr, Int32, sem="acquire", scope="gpu")
        cute.arch.sync_threads()
        data[thread + 64] = data[thread]


@cute.jit
def main(flags: cute.Tensor, data: cute.Tensor):
    kernel(flags, data).launch(grid=(2, 1, 1), block=(64, 1, 1))
