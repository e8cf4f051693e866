# Value and flag are one word: who sees the flag has the value.
# expect: silent
import cutlass
import cutlass.cute as cute
from cutlass import Int64


@cute.kernel
def packed(words: cute.Pointer, out: cute.Pointer):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    if bidx == 0:
        cute.arch.store(words + tidx, (tidx << 32) + 1, sem="relaxed", scope="gpu")
    else:
        word = cute.arch.load(words + tidx, Int64, sem="relaxed", scope="gpu")
        while (word & 1) == 0:
            word = cute.arch.load(words + tidx, Int64, sem="relaxed", scope="gpu")
        out[tidx] = word >> 32
