# What a thread prints, and adds to a sum, is another thread's cell.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 128


@cute.kernel
def kernel(x: cute.Tensor, total: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout(THREADS), 16)
    s[t] = x[t]
    cute.arch.barrier()
    cute.printf("{}", s[THREADS - 1 - t])
    cute.arch.atomic_add(total.iterator, s[t ^ 64])


@cute.jit
def run(x: cute.Tensor, total: cute.Tensor):
    kernel(x, total).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
