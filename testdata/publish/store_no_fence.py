# Nothing leads from the generic to the async proxy.
# expect: stale
import cutlass
import cutlass.cute as cute
from cutlass import Float32


@cute.kernel
def send_tile(tma_atom: cute.CopyAtom, registers: cute.Tensor, out: cute.Tensor, layout: cute.Layout):
    tidx, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    tile = smem.allocate_tensor(Float32, layout)
    cute.autovec_copy(registers, tile)
    cute.arch.sync_threads()
    if tidx == 0:
        cute.copy(tma_atom, tile, out)  # want FP201
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)
