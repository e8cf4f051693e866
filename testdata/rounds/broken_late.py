# From the fourth round on, a thread reads what another one writes, with no barrier between.
# expect: inconclusive
# reason: whether both of these happen is not known
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def rows(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((64,)), 16)
    i = cutlass.Int32(0)
    while i < n:
        if 2 < i:
            s[tid] = a[tid]
            b[tid] = s[63 - tid]
        i = i + 1
    if warp == 0:
        for j in cutlass.range(n):
            cute.arch.barrier(barrier_id=2, number_of_threads=64)
            cute.arch.barrier_arrive(barrier_id=1, number_of_threads=64)
    else:
        for j in cutlass.range(n):
            cute.arch.barrier_arrive(barrier_id=2, number_of_threads=64)
            cute.arch.barrier(barrier_id=1, number_of_threads=64)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    rows(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
