# All CTAs store sums to the same memory of all devices: where is not followed, and that it is no race is not shown.
# expect: holds open=race,race-grid
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils.distributed as distributed


@cute.kernel
def send(out: cute.Tensor, source: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    sums = distributed.multimem_ld_reduce_1xf32(source.iterator + tid)
    distributed.multimem_st_1xb32(out.iterator + tid, sums)


@cute.jit
def host(out: cute.Tensor, source: cute.Tensor):
    send(out, source).launch(grid=(4, 1, 1), block=(128, 1, 1))
