# What is written is a tile of the table, behind an address that it gives: what it says may change before another thread asks for it.
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
        row = cute.make_tensor(table.iterator + slot * 128, cute.make_layout(128))
        turned[tidx] = row[tidx]
        cute.arch.barrier()
        row[tidx] = turned[127 - tidx]


@cute.jit
def run(table: cute.Tensor, pool: cute.Tensor):
    slots(table, pool, 4).launch(grid=(table.shape[0] * 4, 1, 1), block=(128, 1, 1))
