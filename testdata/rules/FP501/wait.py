@cute.kernel
def meet(arrived, blocks):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        cute.arch.atomic_add(arrived, 1, sem="release", scope="gpu")
        while cute.arch.load(arrived, Int32, sem="acquire", scope="gpu") < blocks:  # want FP501 "this wait ends only if"
            pass


@cute.kernel
def from_first(ready):
    bidx, _, _ = cute.arch.block_idx()
    tidx, _, _ = cute.arch.thread_idx()
    if bidx == 0:
        if tidx == 0:
            cute.arch.atomic_add(ready, 1, sem="release", scope="gpu")
    else:
        while cute.arch.load(ready, Int32, sem="acquire", scope="gpu") == 0:  # want FP501 "CTA 0 is scheduled"
            pass


@cute.kernel
def by_ticket(counter, done):
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        ticket = cute.arch.atomic_add(counter, 1, sem="relaxed", scope="gpu")
        if ticket > 0:
            while cute.arch.load(done + ticket - 1, Int32, sem="acquire", scope="gpu") == 0:
                pass
        cute.arch.atomic_add(done + ticket, 1, sem="release", scope="gpu")


@cute.jit
def launch(a, b, blocks):
    meet(a, blocks).launch(grid=[blocks, 1, 1], block=[128, 1, 1])
    from_first(a).launch(grid=[blocks, 1, 1], block=[128, 1, 1])
    by_ticket(a, b).launch(grid=[blocks, 1, 1], block=[128, 1, 1])
