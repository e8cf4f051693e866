# As divided.py, of a thread that reads what its neighbour has, with no barrier between.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def quarters(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout((1024, 2)))
    tile = cute.slice_(s, (None, 0))
    z = cute.zipped_divide(tile, (512,))
    d = cute.logical_divide(z, (4,))
    mine = cute.slice_(d, ((None, t), None))
    mine.store(a[t])  # want FP720
    b[t] = cute.slice_(d, ((None, t ^ 1), None)).load()


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor):
    quarters(a, b).launch(grid=(1, 1, 1), block=(128, 1, 1))
