@cute.kernel
def named(x):
    cute.arch.sync_threads  # want FP415 "named and not called"
    x[0] = 1
    cute.arch.sync_threads()


@cute.kernel
def used(x):
    meet = cute.arch.sync_threads
    meet()
