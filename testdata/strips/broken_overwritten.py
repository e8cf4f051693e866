# The strips brought ahead before the barrier: a stage is overwritten that other warps still multiply.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync, warp

STAGES = 3


class Strips:
    def __init__(self):
        self.threads = 128
        self.strip = (64, 32)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        staged = cute.make_layout((64, 32, STAGES), stride=(32, 1, 64 * 32))

        @cute.struct
        class Storage:
            left: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(staged)], 128]
            right: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(staged)], 128]

        self.storage = Storage
        bring = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128)
        bringing = cute.make_tiled_copy_tv(bring, cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8)))
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1))
        self.kernel(a, b, c, bringing, mma, staged).launch(grid=(1, 1, 1), block=(self.threads, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, bringing: cute.TiledCopy, mma: cute.TiledMma, staged: cute.Layout):
        tidx, _, _ = cute.arch.thread_idx()
        storage = utils.SmemAllocator().allocate(self.storage)
        left = storage.left.get_tensor(staged)
        right = storage.right.get_tensor(staged)

        mine = bringing.get_slice(tidx)
        from_a = mine.partition_S(cute.local_tile(a, self.strip, (0, None)))
        from_b = mine.partition_S(cute.local_tile(b, self.strip, (0, None)))
        to_left = mine.partition_D(left)
        to_right = mine.partition_D(right)

        part = mma.get_slice(tidx)
        row = part.make_fragment_A(part.partition_A(left[None, None, 0]))
        column = part.make_fragment_B(part.partition_B(right[None, None, 0]))
        acc = cute.make_rmem_tensor(part.partition_shape_C((64, 64)), cutlass.Float32)
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)
        get_row = cute.make_tiled_copy_A(atom, mma)
        get_column = cute.make_tiled_copy_B(atom, mma)
        rows = get_row.get_slice(tidx).partition_S(left)
        columns = get_column.get_slice(tidx).partition_S(right)

        count = cute.size(a, mode=[1]) // 32
        for k in cutlass.range_constexpr(STAGES - 1):
            if k < count:
                cute.copy(bringing, from_a[None, None, None, k], to_left[None, None, None, k])
                cute.copy(bringing, from_b[None, None, None, k], to_right[None, None, None, k])
            cute.arch.cp_async_commit_group()
        for k in cutlass.range(count):
            ahead = k + STAGES - 1
            if ahead < count:
                cute.copy(bringing, from_a[None, None, None, ahead], to_left[None, None, None, ahead % STAGES])
                cute.copy(bringing, from_b[None, None, None, ahead], to_right[None, None, None, ahead % STAGES])
            cute.arch.cp_async_commit_group()
            cute.arch.cp_async_wait_group(STAGES - 1)
            cute.arch.sync_threads()
            cute.copy(get_row, rows[None, None, None, k % STAGES], row)
            cute.copy(get_column, columns[None, None, None, k % STAGES], column)
            cute.gemm(mma, acc, row, column, acc)
