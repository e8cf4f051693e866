# A flag that another device sets: the kernel waits for it with the scope of the system, and nothing in it does.
# expect: inconclusive
# reason: another device or the host does
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(ready: cute.Tensor, data: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        seen = cute.arch.load(ready.iterator, Int32, sem="acquire", scope="sys")
        while seen != 1:
            seen = cute.arch.load(ready.iterator, Int32, sem="acquire", scope="sys")
    cute.arch.sync_threads()
    data[thread + 64] = data[thread]


@cute.jit
def main(ready: cute.Tensor, data: cute.Tensor):
    kernel(ready, data).launch(grid=(1, 1, 1), block=(64, 1, 1))
