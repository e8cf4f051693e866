WARPS = 4


@cute.kernel
def counts(threads):
    cute.arch.barrier(barrier_id=1, number_of_threads=32 * WARPS)
    cute.arch.barrier(barrier_id=2, number_of_threads=WARPS)  # want FP402 "counts 4 threads; expected a positive multiple of 32"
    cute.arch.barrier(barrier_id=3, number_of_threads=threads)
    cute.arch.barrier_arrive(barrier_id=4, number_of_threads=2048)  # want FP402 "at most the 256 threads of the CTA"


@cute.jit
def host():
    counts(128).launch(grid=[1, 1, 1], block=[256, 1, 1])
