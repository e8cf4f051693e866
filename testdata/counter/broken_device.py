# As device.py with the scope of one device, whose only kernel this is: nobody ever sets the flag.
# expect: violated livelock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(ready: cute.Tensor, data: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        seen = cute.arch.load(ready.iterator, Int32, sem="acquire", scope="gpu")
        while seen != 1:  # want FP520
            seen = cute.arch.load(ready.iterator, Int32, sem="acquire", scope="gpu")
    cute.arch.sync_threads()
    data[thread + 64] = data[thread]


@cute.jit
def main(ready: cute.Tensor, data: cute.Tensor):
    kernel(ready, data).launch(grid=(1, 1, 1), block=(64, 1, 1))
