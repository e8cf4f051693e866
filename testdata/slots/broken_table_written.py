# The threads ask the table once more behind a barrier, after one of them has marked the slot as taken: it is no input.
# expect: inconclusive
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
        if tidx == 0:
            table[bidx // parts] = -1
        if table[bidx // parts] >= 0:
            cute.arch.barrier()
        row[tidx] = turned[127 - tidx]


@cute.jit
def run(table: cute.Tensor, pool: cute.Tensor):
    slots(table, pool, 4).launch(grid=(table.shape[0] * 4, 1, 1), block=(128, 1, 1))
