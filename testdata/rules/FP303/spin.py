@cute.kernel
def relaxed(flag, data, out):
    while cute.arch.load(flag, Int32, sem="relaxed", scope="gpu") == 0:  # want FP303 "spin on .flag. reads with relaxed order"
        pass
    x = data[0]
    out[0] = x


@cute.kernel
def fenced(flag, data, out):
    while cute.arch.load(flag, Int32, sem="relaxed", scope="gpu") == 0:
        pass
    cute.arch.fence_acq_rel_gpu()
    x = data[0]
    out[0] = x


@cute.kernel
def carries_its_data(flag, data, out):
    word = cute.arch.load(flag, Int32, sem="relaxed", scope="gpu")
    while word == 0:
        word = cute.arch.load(flag, Int32, sem="relaxed", scope="gpu")
    out[0] = word + data[0]
