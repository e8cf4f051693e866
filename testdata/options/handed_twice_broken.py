# As handed_right.py, but a second call of the helper counts more threads than there are.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32

THREADS = 128


@cute.jit
def meet(bar, threads, all_of_them=True):
    if cutlass.const_expr(bar is not None):
        cute.arch.mbarrier_wait(bar, 0)
    if cutlass.const_expr(threads == THREADS):
        cute.arch.sync_threads()
    else:
        cute.arch.barrier(barrier_id=1, number_of_threads=threads)
    if cutlass.const_expr(not all_of_them):
        cute.arch.barrier(barrier_id=2, number_of_threads=2 * THREADS)


@cute.jit
def turn(value, row, bar, threads):
    tid = cute.arch.thread_idx_x()
    row[tid] = value
    meet(bar, threads=threads)
    return row[THREADS - 1 - tid]


class Reverse:
    @cute.jit
    def __call__(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        self.kernel(source, out, smem).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, source: cute.Pointer, out: cute.Pointer, smem: cutlass.Constexpr):
        tid = cute.arch.thread_idx_x()
        row = smem.alloc_array(Float32, THREADS)
        threads = THREADS
        out[tid] = turn(source[tid], row, None, threads)
        meet(None, threads, all_of_them=False)
