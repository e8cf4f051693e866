# As own_type.py without the barrier between the store and the load.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(values: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    cells = cutlass.utils.SmemAllocator().allocate_tensor(values.element_type, cute.make_layout(64), 16)
    cells[thread] = values[thread]  # want FP720
    v = cells[63 - thread]
    out[thread] = cutlass.max(v, v.dtype(0))


@cute.jit
def main(values: cute.Tensor, out: cute.Tensor):
    kernel(values, out).launch(grid=(1, 1, 1), block=(64, 1, 1))
