# Elements of the first row of an array are written by their address, and other threads read them with no barrier.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute

ROWS = 8


@cute.kernel
def mirror(out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    kept = cutlass.Array(cutlass.Float32, (ROWS, ROWS), space=cutlass.AddressSpace.smem)
    (kept.data_ptr() + tid).store(cutlass.Float32(2.0))
    out[tid] = kept[0, tid ^ 1]


@cute.jit
def run(out: cute.Tensor):
    mirror(out).launch(grid=(1, 1, 1), block=(ROWS, 1, 1))
