EPILOGUE = 17


@cute.kernel
def ids(chosen):
    cute.arch.barrier(barrier_id=EPILOGUE, number_of_threads=128)  # want FP401 "id is 17; expected 0 to 15"
    cute.arch.barrier_arrive(barrier_id=15, number_of_threads=128)
    cute.arch.barrier(barrier_id=chosen, number_of_threads=128)
    bar = pipeline.NamedBarrier(barrier_id=16, num_threads=128)  # want FP401 "id is 16"
