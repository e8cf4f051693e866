# A function makes the one that launches; the second of two warp groups arrives, the first waits.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 256


@cute.kernel
def handed(x: cute.Tensor, y: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    group = cute.arch.make_warp_uniform(tidx // 128)
    smem = cutlass.utils.SmemAllocator()
    done = smem.allocate_array(cutlass.Int64, 1)
    if tidx == 0:
        cute.arch.mbarrier_init(done, 128)
        cute.arch.mbarrier_init_fence()
    cute.arch.barrier()
    if group == 1:
        cute.arch.mbarrier_arrive(done)
    else:
        cute.arch.mbarrier_wait(done, 0)


def make_host(ctas=4):
    @cute.jit
    def host(x: cute.Tensor, y: cute.Tensor):
        handed(x, y).launch(grid=(ctas, 1, 1), block=(THREADS, 1, 1))

    return host
