# A text chooses how the threads meet: the one that the class is not made with by default is tried too.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


class Mirror:
    def __init__(self, meeting: str = "all"):
        if meeting not in ["all", "named"]:
            raise ValueError(meeting)
        self.meeting = meeting

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        self.kernel(a, b).launch(grid=(1, 1, 1), block=(64, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        box = cutlass.Array(cutlass.Float32, 64, space=cutlass.AddressSpace.smem)
        box[tid] = a[tid]
        if cutlass.const_expr(self.meeting == "all"):
            cute.arch.sync_threads()
        else:
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
        b[tid] = box[63 - tid]
