# Each half of a warp adds up among itself, and says so.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def halves(x: cute.Tensor, low: cute.Tensor, high: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    v = x[tid]
    if tid % 32 < 16:
        for i in cutlass.range_constexpr(4):
            v += cute.arch.shuffle_sync_down(v, offset=8 >> i, mask=0x0000FFFF)
        if tid % 32 == 0:
            low[tid // 32] = v
    else:
        for i in cutlass.range_constexpr(4):
            v += cute.arch.shuffle_sync_down(v, offset=8 >> i, mask=0xFFFF0000)
        if tid % 32 == 16:
            high[tid // 32] = v


@cute.jit
def run(x: cute.Tensor, low: cute.Tensor, high: cute.Tensor):
    halves(x, low, high).launch(grid=[1, 1, 1], block=[64, 1, 1])
