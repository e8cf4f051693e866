# A conversion of a number that is not followed, but is one: a class of the program has a method of that name, which waits for the others and is not meant.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import llvm

THREADS = 64


class Scaled:
    def __init__(self, value, scale):
        self.value = value
        self.scale = scale

    def to(self, dtype):
        cute.arch.sync_threads()
        return Scaled(self.value, self.scale * 2)


@cute.kernel
def mirror(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
    word = cutlass.Uint32(llvm.bitcast(cutlass.Int32.mlir_type, out[tid]))
    kept[tid] = word.to(cutlass.Float32)
    cute.arch.sync_threads()
    out[tid] = kept[tid ^ 1]


@cute.jit
def run(out: cute.Tensor):
    Scaled(1.0, 2).to(cutlass.Float32)
    mirror(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
