# A ring of two stages, filled by one warp and emptied by another. The parities are written without parentheses: & binds closer than ^.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

STAGES = 2


@cute.kernel
def stream(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(cutlass.Float32, cute.make_layout((32, STAGES)), 16)
    full = smem.allocate_array(cutlass.Int64, STAGES)
    empty = smem.allocate_array(cutlass.Int64, STAGES)
    if tid == 0:
        for i in cutlass.range_constexpr(STAGES):
            cute.arch.mbarrier_init(full + i, 32)
            cute.arch.mbarrier_init(empty + i, 32)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    if tid < 32:
        for k in cutlass.range(n):
            cute.arch.mbarrier_wait(empty + k % STAGES, (k // STAGES) & 1 ^ 1)
            s[tid, k % STAGES] = a[k * 32 + tid]
            cute.arch.mbarrier_arrive(full + k % STAGES)
    else:
        for k in cutlass.range(n):
            cute.arch.mbarrier_wait(full + k % STAGES, 0 ^ (k // STAGES) & 1)
            b[k * 32 + tid - 32] = s[63 - tid, k % STAGES]
            cute.arch.mbarrier_arrive(empty + k % STAGES)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    stream(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))
