@cute.kernel
def dropped(full, phase):
    cute.arch.mbarrier_try_wait(full, phase)  # want FP110 "mbarrier_try_wait on .full. drops its result"


@cute.kernel
def retried(full, phase):
    while not cute.arch.mbarrier_try_wait(full, phase):
        pass


@cute.kernel
def passed_on(full, phase):
    ready = cute.arch.mbarrier_try_wait(full, phase)
    if not ready:
        cute.arch.mbarrier_wait(full, phase)


@cute.kernel
def compiler_loop(full, phase):
    nvvm.mbarrier_try_wait_parity(full, phase, 10000000)
