# A table that the launch gives the length of is filled in rounds of as many elements as there are threads: of each element
# it is one thread that fills it, by a while loop, by a range from the thread on, and by numbers of rounds that every thread counts.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 64


@cute.kernel
def staged(a: cute.Tensor, b: cute.Tensor, n: Int32, first: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cutlass.utils.SmemAllocator()
    s = smem.allocate_tensor(Float32, cute.make_layout(1024))
    u = smem.allocate_tensor(Float32, cute.make_layout(1024))
    v = smem.allocate_tensor(Float32, cute.make_layout((4, 256), stride=(1, 4)))
    i = first + t
    while i < n:
        s[i] = a[i]
        if a[i] > 0.0:
            s[i] = 0.0
        i += THREADS
    for k in cutlass.range(t, n, THREADS):
        u[k] = a[k]
    for k in cutlass.range((n + THREADS - 1) // THREADS):
        for c in cutlass.range_constexpr(4):
            if 4 * (k * THREADS + t) < n:
                v[c, k * THREADS + t] = a[4 * k + c]
    cute.arch.barrier()
    value = Float32(0.0)
    for k in cutlass.range(n):
        value += s[k] + u[k] + v[k]
    b[t] = value


@cute.jit
def main(a: cute.Tensor, b: cute.Tensor, n: Int32, first: Int32):
    staged(a, b, n, first).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
