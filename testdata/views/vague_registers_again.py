# What is held in registers is written by another view of them: whether the threads wait is not known.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


@cute.kernel
def mirror(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
    held = cute.make_rmem_tensor(4, cutlass.Int32)
    again = cute.make_tensor(held.iterator, cute.make_layout(4))
    held[0] = 1
    again[0] = out[tid]
    kept[tid] = cutlass.Float32(tid)
    if held[0] == 1:
        cute.arch.sync_threads()
    out[tid] = kept[tid ^ 1]


@cute.jit
def run(out: cute.Tensor):
    mirror(out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
