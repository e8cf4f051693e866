# A view of shared memory is kept where an attribute of an object is not followed, and written through it.
# expect: inconclusive
# reason: accesses memory through an address that is not followed
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils

THREADS = 128


class Drawer:
    pass


@cute.kernel
def kernel(x: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(2 * THREADS), 16)
    drawer = Drawer()
    drawer.__dict__["kept"] = cute.make_tensor(s.iterator, cute.make_layout(THREADS))
    s[t] = x[t]
    drawer.kept[THREADS - 1 - t] = x[t]
    cute.arch.sync_threads()
    out[t] = s[t]


@cute.jit
def run(x: cute.Tensor, out: cute.Tensor):
    kernel(x, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
