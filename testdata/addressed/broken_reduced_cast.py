# The largest is read, at an address that was cast when it was written, while threads may still change it.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm
from cutlass.experimental import primitives as prims

THREADS = 64


@cute.kernel
def count(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    sums = cutlass.Array(cutlass.Int32, 2, space=cutlass.AddressSpace.smem)
    if tid < 2:
        sums[tid] = 0
    prims.barrier_cta_sync(0)
    there = llvm.addrspacecast(llvm.PointerType.get(0), sums.data_ptr(1).ir_value())
    prims.red(prims.ReductionOp.ADD, prims.ReductionType.S32, sums.data_ptr(), 1, mem_order=prims.MemOrder.RELAXED, mem_scope=prims.MemScope.CTA)
    prims.red(prims.ReductionOp.MAX, prims.ReductionType.S32, there, tid, mem_order=prims.MemOrder.RELAXED, mem_scope=prims.MemScope.CTA)
    out[tid] = sums[1]


@cute.jit
def host(out: cute.Tensor):
    count(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
