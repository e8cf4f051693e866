# As store.py, but the lanes meet behind a first write, and the fence stands ahead of the second one: the copy may read what the first one left.
# expect: holds open=proxy
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync

THREADS = 128


@cute.kernel
def fill(atom: cute.CopyAtom, out: cute.Tensor, layout: cute.Layout):
    tid, _, _ = cute.arch.thread_idx()
    cta, _, _ = cute.arch.block_idx()
    tile = utils.SmemAllocator().allocate_tensor(cutlass.Float32, layout, 128)
    tile[tid] = cutlass.Float32(0)
    cute.arch.sync_warp()
    cute.arch.fence_proxy("async.shared", space="cta")
    tile[tid] = cutlass.Float32(tid)
    cute.arch.sync_threads()
    if tid < 32:
        mine = cute.local_tile(out, (THREADS,), (cta,))
        source, target = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(tile, 0, 1), cute.group_modes(mine, 0, 1))
        cute.copy(atom, source, target)
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)


@cute.jit
def run(out: cute.Tensor, n: cutlass.Int32):
    layout = cute.make_layout((THREADS,))
    atom, target = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), out, layout, (THREADS,))
    fill(atom, target, layout).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))
