# Who waits counts only itself: whether the loader's arrivals meet that count hangs on who comes first.
import cutlass
import cutlass.cute as cute
from cutlass import Float32

FULL, EMPTY = 1, 2


@cute.kernel
def kernel(values: cute.Tensor, out: cute.Tensor, rounds: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    cell = cutlass.utils.SmemAllocator().allocate_tensor(Float32, cute.make_layout(32), 16)
    if thread < 32:
        for i in cutlass.range(rounds, unroll=1):
            cute.arch.barrier(barrier_id=EMPTY, number_of_threads=96)
            cell[thread] = values[32 * i + thread]
            cute.arch.barrier_arrive(barrier_id=FULL, number_of_threads=96)  # want FP405 "expected one thread count a generation"
        cute.arch.barrier(barrier_id=EMPTY, number_of_threads=96)
    else:
        cute.arch.barrier_arrive(barrier_id=EMPTY, number_of_threads=96)
        for i in cutlass.range(rounds, unroll=1):
            cute.arch.barrier(barrier_id=FULL, number_of_threads=64)
            out[64 * i + thread - 32] = cell[thread % 32]
            cute.arch.barrier_arrive(barrier_id=EMPTY, number_of_threads=96)


@cute.jit
def main(values: cute.Tensor, out: cute.Tensor, rounds: cutlass.Int32):
    kernel(values, out, rounds).launch(grid=(1, 1, 1), block=(96, 1, 1))
