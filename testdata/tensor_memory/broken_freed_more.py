# Half a row of columns is allocated, and a whole one is freed.
# expect: holds open=lifetime
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05

COLUMNS = 128


@cute.kernel
def parked(x: cute.Tensor, y: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    where = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int32, 1)
    if warp == 1:
        cute.arch.alloc_tmem(COLUMNS // 2, where)
        cute.arch.relinquish_tmem_alloc_permit()
    cute.arch.sync_threads()
    start = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, where)
    y[tid] = x[tid]
    cute.arch.sync_threads()
    if warp == 1:
        cute.arch.dealloc_tmem(start, COLUMNS)


@cute.jit
def main(x: cute.Tensor, y: cute.Tensor):
    parked(x, y).launch(grid=(1, 1, 1), block=(128, 1, 1))
