# A helper reads the number of the thread by its PTX register and divides it by too much: both threads arrive on one mbarrier, and none on the other.
# expect: violated deadlock phase
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T


def place(step):
    return Int32(llvm.inline_asm(T.i32(), [], "mov.u32 $0, %tid.x;", "=r")) // step


@cute.kernel
def kernel(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    bars = cute.arch.alloc_smem(Int64, 2)
    if tid == 0:
        cute.arch.mbarrier_init(bars, 1)
        cute.arch.mbarrier_init(bars + 1, 1)
    cute.arch.sync_threads()
    if tid == 0:
        cute.arch.mbarrier_arrive(bars + place(64))
    if tid == 32:
        cute.arch.mbarrier_arrive(bars + place(64))
    cute.arch.mbarrier_wait(bars, 0)
    cute.arch.mbarrier_wait(bars + 1, 0)
    out[tid] = cutlass.Float32(1.0)


@cute.jit
def host(out: cute.Tensor):
    kernel(out).launch(grid=(1, 1, 1), block=(64, 1, 1))
