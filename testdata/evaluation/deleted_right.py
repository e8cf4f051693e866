# Of seven roles one is deleted, and three become one: four.
# expect: holds
# small: -
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Float32, Int64

roles = list(range(7))
del roles[0]
roles[1:4] = [9]


@cute.kernel
def reverse(src: cute.Tensor, dst: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    smem = utils.SmemAllocator()
    ready = smem.allocate_array(Int64, 1)
    buf = smem.allocate_tensor(Float32, cute.make_layout(128), 16)
    if tid == 0:
        cute.arch.mbarrier_init(ready, 32 * len(roles))
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    buf[tid] = src[tid]
    cute.arch.mbarrier_arrive(ready)
    cute.arch.mbarrier_wait(ready, 0)
    dst[tid] = buf[127 - tid]


@cute.jit
def host(src: cute.Tensor, dst: cute.Tensor):
    reverse(src, dst).launch(grid=(1, 1, 1), block=(128, 1, 1))
