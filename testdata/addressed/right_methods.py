# Arrays in shared and in global memory that are stored to and loaded from by methods, of the array and of addresses in it.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass.experimental import primitives as prims

THREADS = 128


@cute.kernel
def turn(left: cutlass.Array, out: cutlass.Array, scratch: cutlass.Array):
    tid, _, _ = cute.arch.thread_idx()
    words = cutlass.Array(cutlass.Float32, 2 * THREADS, space=cutlass.AddressSpace.smem)
    here = words.data_ptr()
    (here + tid).store(left.load(tid))
    words.store(cutlass.Float32(1.0), idx=THREADS + tid)
    prims.barrier_cta_sync(0)
    value = words.data_ptr(127 - tid).load()
    more = (here + (THREADS + (tid ^ 1))).load()
    at = scratch.data_ptr()
    (at + tid).store(value + more)
    prims.barrier_cta_sync(0)
    out[tid] = (at + (127 - tid)).load()


@cute.jit
def host(left: cutlass.Array, out: cutlass.Array, scratch: cutlass.Array):
    turn(left, out, scratch).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
