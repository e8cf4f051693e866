# A grid that may start before the one before it has ended reads global memory behind its wait for that one.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def scaled(scale: cute.Tensor, rows: cute.Tensor, out: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    cta, _, _ = cute.arch.block_idx()
    cute.arch.griddepcontrol_wait()
    by = scale[tid]
    out[cta * 128 + tid] = rows[cta * 128 + tid] * by


@cute.jit
def run(scale: cute.Tensor, rows: cute.Tensor, out: cute.Tensor):
    scaled(scale, rows, out).launch(grid=(8, 1, 1), block=(128, 1, 1), use_pdl=True)
