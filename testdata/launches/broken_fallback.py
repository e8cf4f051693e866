# As fallback.py, but the barrier of the smaller clusters counts more threads than there are.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute


class Mirror:
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        self.kernel(a, b).launch(grid=(8, 1, 1), block=(64, 1, 1), cluster=(4, 1, 1), fallback_cluster=(2, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        bx, _, _ = cute.arch.block_idx()
        ctas, _, _ = cute.arch.block_in_cluster_dim()
        box = cutlass.Array(cutlass.Float32, 64, space=cutlass.AddressSpace.smem)
        box[tid] = a[bx * 64 + tid]
        if ctas == 4:
            cute.arch.sync_threads()
        else:
            cute.arch.barrier(barrier_id=1, number_of_threads=96)
        b[bx * 64 + tid] = box[63 - tid]
