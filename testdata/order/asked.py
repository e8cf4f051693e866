# Whether the grid may start early is said by whoever makes it, and so is whether it waits.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


class Scaled:
    def __init__(self, use_pdl: bool):
        self.use_pdl = use_pdl

    @cute.jit
    def __call__(self, scale: cute.Tensor, rows: cute.Tensor, out: cute.Tensor):
        self.scaled(scale, rows, out).launch(grid=(8, 1, 1), block=(128, 1, 1), use_pdl=self.use_pdl)

    @cute.kernel
    def scaled(self, scale: cute.Tensor, rows: cute.Tensor, out: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        cta, _, _ = cute.arch.block_idx()
        if cutlass.const_expr(self.use_pdl):
            cute.arch.griddepcontrol_wait()
        out[cta * 128 + tid] = rows[cta * 128 + tid] * scale[tid]
