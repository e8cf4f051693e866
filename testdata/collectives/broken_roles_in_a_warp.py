# The roles are told apart one thread too late: the first thread of the second warp plays the other role, and its warp stands at two barriers.
# expect: inconclusive
# reason: different named barriers
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(source: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    cell = smem.allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    if t > 32:
        cute.arch.barrier(barrier_id=2, number_of_threads=64)
        out[t] = cell[t - 32]
        cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
    else:
        cell[t] = source[t]
        cute.arch.barrier_arrive(barrier_id=2, number_of_threads=64)  # want FP403
        cute.arch.barrier(barrier_id=1, number_of_threads=64)


@cute.jit
def main(source: cute.Tensor, out: cute.Tensor):
    kernel(source, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
