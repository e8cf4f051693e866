# A counter in shared memory is set, and behind a barrier every thread adds to it by the compiler's own atomic operation.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Int32
from cutlass._mlir.dialects import nvvm


@cute.kernel
def numbered(b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Int32, cute.make_layout(1))
    if t == 0:
        s[0] = 0
    cute.arch.barrier()
    old = nvvm.atomicrmw(op=nvvm.AtomicOpKind.ADD, ptr=s.iterator.llvm_ptr, a=Int32(1).ir_value())
    cute.arch.barrier()
    b[t] = s[0] + old


@cute.jit
def main(b: cute.Tensor):
    numbered(b).launch(grid=(1, 1, 1), block=(64, 1, 1))
