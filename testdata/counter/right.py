# Producer CTAs publish one row each through a counter in global memory; a consumer CTA waits for every counter, then
# sums the rows. One thread publishes for its CTA, after a CTA barrier; one thread waits for its CTA, before one.
# expect: holds open=order
# small: THREADS=32 PRODUCERS=2
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

THREADS = 128
PRODUCERS = 4


@cute.kernel
def publish_and_sum(rows: cute.Pointer, done: cute.Pointer, out: cute.Pointer):
    block = cute.arch.block_idx_x()
    tid = cute.arch.thread_idx_x()
    if block < PRODUCERS:
        rows[block * THREADS + tid] = Float32(1.0) * tid
        cute.arch.sync_threads()
        if tid == 0:
            cute.arch.atomic_add(done + block, 1, sem="release", scope="gpu")
    else:
        if tid == 0:
            for row in cutlass.range(PRODUCERS):
                while cute.arch.load(done + row, sem="acquire", scope="gpu") < 1:
                    pass
        cute.arch.sync_threads()
        total = Float32(0.0)
        for row in cutlass.range(PRODUCERS):
            total += rows[row * THREADS + tid]
        out[tid] = total


@cute.jit
def main(rows: cute.Pointer, done: cute.Pointer, out: cute.Pointer):
    publish_and_sum(rows, done, out).launch(grid=(PRODUCERS + 1, 1, 1), block=(THREADS, 1, 1))
