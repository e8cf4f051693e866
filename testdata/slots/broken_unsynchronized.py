# The barrier between the halves of the turn is left out.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def slots(table: cute.Tensor, pool: cute.Tensor, parts: cutlass.Constexpr[int]):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    smem = cutlass.utils.SmemAllocator()
    turned = smem.allocate_tensor(cutlass.Float32, cute.make_layout((128,)), 16)
    slot = table[bidx // parts]
    if slot >= 0:
        row = pool[(slot, bidx % parts, None)]
        turned[tidx] = row[tidx]
        row[tidx] = turned[127 - tidx]


@cute.jit
def run(table: cute.Tensor, pool: cute.Tensor):
    slots(table, pool, 4).launch(grid=(table.shape[0] * 4, 1, 1), block=(128, 1, 1))
