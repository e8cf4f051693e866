# Registers are seen again with another layout. What one thread keeps is overwritten before its neighbour has read it.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


@cute.kernel
def mirror(out: cute.Tensor, begins: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
    length = begins[1] - begins[0]
    held = cute.make_rmem_tensor(4, cutlass.Float32)
    pairs = cute.make_tensor(held.iterator, cute.make_layout((2, length)))
    for i in cutlass.range(length):
        pairs[None, i].store(held.load())
        kept[tid] = held[0]
        cute.arch.sync_threads()
        pairs[0, i] = kept[tid ^ 1]
    out[tid] = held[0]


@cute.jit
def run(out: cute.Tensor, begins: cute.Tensor):
    mirror(out, begins).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
