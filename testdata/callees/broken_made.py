# An object writes to shared memory as it is made, before it is initialised: what another thread writes.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


class Deposit:
    def __new__(cls, tensor, place, value):
        tensor[place] = value
        return super().__new__(cls)

    def __init__(self, *given):
        self.given = given


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(2 * THREADS), 16)
    s[t] = x[t]  # want FP720
    Deposit(s, THREADS - 1 - t, x[t])
    cute.arch.sync_threads()
    out[t] = s[t] + s[THREADS + t]


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
