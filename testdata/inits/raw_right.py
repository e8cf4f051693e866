# Bytes are reserved, and viewed as mbarriers here and as numbers there.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int64


@cute.kernel
def kernel(source: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    alloc = cutlass.utils.SmemAllocator()
    base = alloc.allocate(1024, 1024)
    p32 = cute.recast_ptr(base, dtype=cutlass.Float32)
    p64 = cute.recast_ptr(base, dtype=cutlass.Int64)
    row = p32 + 64
    bars = p64 + 2
    if tid == 0:
        cute.arch.mbarrier_init(bars + 1, 64)
    cute.arch.sync_threads()
    row[tid] = source[tid]
    cute.arch.mbarrier_arrive(bars + 1)
    cute.arch.mbarrier_wait(bars + 1, 0)
    out[tid] = row[63 - tid]


@cute.jit
def host(source: cute.Tensor, out: cute.Tensor):
    kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
