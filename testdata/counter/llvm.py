# A flag that is stored and loaded by its address as LLVM has it, behind an offset, and cleared by nobody.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def kernel(flags: cute.Tensor, data: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    flag = flags.iterator + 2
    if block == 0:
        data[thread] = Float32(1.0)
        cute.arch.sync_threads()
        if thread == 0:
            cute.arch.store(flag.llvm_ptr, Int32(1), sem="release", scope="gpu")
    else:
        if thread == 0:
            seen = cute.arch.load(flag.llvm_ptr, Int32, sem="acquire", scope="gpu")
            while seen != 1:
                seen = cute.arch.load(flag.llvm_ptr, Int32, sem="acquire", scope="gpu")
        cute.arch.sync_threads()
        data[thread + 64] = data[thread]


@cute.jit
def main(flags: cute.Tensor, data: cute.Tensor):
    kernel(flags, data).launch(grid=(2, 1, 1), block=(64, 1, 1))
