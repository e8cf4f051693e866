# Each warp fills a tile of its own, and reads that of another warp.
# expect: holds
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
    cute.local_tile(s, (32,), (warp,))[lane] = a[t]
    cute.arch.sync_threads()
    b[t] = cute.local_tile(s, (32,), (3 - warp,))[lane]


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor):
    cells(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
