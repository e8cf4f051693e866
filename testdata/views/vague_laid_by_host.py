# The host side lays a tensor over the memory that says how many rounds there are: they may change while the kernel runs.
# expect: inconclusive
# small: -
import cutlass
import cutlass.cute as cute

THREADS = 64


class Reverse:
    @cute.jit
    def __call__(self, out: cute.Tensor, begins: cute.Tensor):
        rows = cute.make_tensor(
            begins.iterator, cute.make_layout((out.shape[1], out.shape[2]), stride=(cute.assume(out.stride[1], divby=64), out.stride[2]))
        )
        self.kernel(rows, begins).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, rows: cute.Tensor, begins: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
        length = begins[1] - begins[0]
        part = cute.make_tensor(rows.iterator + cute.assume(begins[0] * rows.stride[0], divby=64), cute.make_layout((length, THREADS), stride=(THREADS, 1)))
        for i in cutlass.range(length):
            kept[tid] = cutlass.Float32(i)
            cute.arch.sync_threads()
            part[i, tid] = kept[tid ^ 1]
            cute.arch.sync_threads()
