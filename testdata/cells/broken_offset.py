# Two warps fill the second half, and read what the other has written with no barrier between.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


@cute.kernel
def cells(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    warp = cute.arch.warp_idx()
    lane = cute.arch.lane_idx()
    smem = utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS))
    half = cute.domain_offset((64,), s)
    if t < 64:
        half[t] = a[t]  # want FP720
    if t < 64:
        b[t] = half[63 - t]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
