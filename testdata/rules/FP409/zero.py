# Barrier 0 of a group beside that of the whole CTA, and another id.
import cutlass
import cutlass.cute as cute


@cute.kernel
def group(rows: cute.Pointer):
    tidx, _, _ = cute.arch.thread_idx()
    cute.arch.sync_threads()
    if tidx < 64:
        rows[tidx] = 0
        cute.arch.barrier(barrier_id=0, number_of_threads=64)  # want FP409 "barrier 0"


@cute.kernel
def another(rows: cute.Pointer):
    tidx, _, _ = cute.arch.thread_idx()
    cute.arch.sync_threads()
    if tidx < 64:
        rows[tidx] = 0
        cute.arch.barrier(barrier_id=5, number_of_threads=64)
