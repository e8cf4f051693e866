# An element of shared memory is written by one thread at an address with a loaded number added, and others read theirs behind a barrier.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


@cute.kernel
def scatter(out: cute.Tensor, table: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cutlass.Array(cutlass.Float16, 4 * THREADS, space=cutlass.AddressSpace.smem)
    if tid == 0:
        (kept.data_ptr() + cutlass.Int32(table[tid] * 3.5)).store(cutlass.Float16(2.0))
    cute.arch.sync_threads()
    out[tid] = kept[tid]


@cute.jit
def run(out: cute.Tensor, table: cute.Tensor):
    scatter(out, table).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
