# An element of global memory is written at an address with a loaded number added, and others read theirs: which ones meet is not known.
# expect: holds open=race,race-grid
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


@cute.kernel
def scatter(out: cute.Tensor, table: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    (out.iterator + cutlass.Int32(table[tid] * 3.5)).store(cutlass.Float16(2.0))
    kept = out[tid]
    cute.arch.sync_threads()
    out[tid] = kept


@cute.jit
def run(out: cute.Tensor, table: cute.Tensor):
    scatter(out, table).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
