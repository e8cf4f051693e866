# The ring that goes round as often as its caller says. What counts its turns is 32 bits wide.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

SLOTS = 3


@cute.struct
class Storage:
    full: cute.struct.MemRange[cutlass.Int64, SLOTS]
    empty: cute.struct.MemRange[cutlass.Int64, SLOTS]


@cute.kernel
def turns(rounds: cutlass.Int32):
    tidx, _, _ = cute.arch.thread_idx()
    storage = utils.SmemAllocator().allocate(Storage)
    full = storage.full.data_ptr()
    empty = storage.empty.data_ptr()
    if tidx == 0:
        for s in cutlass.range_constexpr(SLOTS):
            cute.arch.mbarrier_init(full + s, 1)
            cute.arch.mbarrier_init(empty + s, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    turn = cutlass.Uint32(0)
    filled = cutlass.Uint32(0)
    if tidx == 0:
        for _ in cutlass.range(rounds, unroll=1):
            cute.arch.mbarrier_wait(empty + filled % SLOTS, ((filled // SLOTS) & 1) ^ 1)
            cute.arch.mbarrier_arrive(full + filled % SLOTS)
            filled = cutlass.Uint32(filled + 1)
    if tidx == 32:
        for _ in cutlass.range(rounds, unroll=1):
            cute.arch.mbarrier_wait(full + turn % SLOTS, (turn // SLOTS) & 1)
            cute.arch.mbarrier_arrive(empty + turn % SLOTS)
            turn = turn + 1


@cute.jit
def run(rounds: cutlass.Int32):
    turns(rounds).launch(grid=(1, 1, 1), block=(64, 1, 1))
