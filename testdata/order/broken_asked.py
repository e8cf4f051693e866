# Whether the grid may start early is said by whoever makes it, and it never waits for the one before.
# expect: holds open=order
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
        out[cta * 128 + tid] = rows[cta * 128 + tid] * scale[tid]
