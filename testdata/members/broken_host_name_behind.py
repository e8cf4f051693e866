# As broken_host_name.py, but the write comes behind the reads.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32


@cute.kernel
def kernel(tile_dims: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    out[block * 64 + thread] = tile_dims[block]
    if thread == 0:
        tile_dims[block] = Int32(0)  # want FP720


@cute.jit
def main(tile_dims: cute.Tensor, out: cute.Tensor):
    kernel(tile_dims, out).launch(grid=(8, 1, 1), block=(64, 1, 1))
