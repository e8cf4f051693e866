# A constant of the type of what was read from shared memory: a call that only computes.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(values: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    cells = cutlass.utils.SmemAllocator().allocate_tensor(values.element_type, cute.make_layout(64), 16)
    cells[thread] = values[thread]
    cute.arch.sync_threads()
    v = cells[63 - thread]
    out[thread] = cutlass.max(v, v.dtype(0))


@cute.jit
def main(values: cute.Tensor, out: cute.Tensor):
    kernel(values, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
