# Tiles have lengths of their own, which are divided into pieces: behind the reads of a tile with one piece there is no barrier, and the next tile is as good as any.
# expect: violated race
# small: -
import cutlass
import cutlass.cute as cute


@cute.kernel
def pieces(lengths: cute.Tensor, a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    s = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(128), 16)
    for k in cutlass.range(n):
        length = (lengths[k] + 63) // 64
        empty = length == 0
        if not empty:
            s[tid] = a[k * 128 + tid]
            cute.arch.sync_threads()
            b[k * 128 + tid] = s[127 - tid]
            first = 0
            if first + 1 < length:
                cute.arch.sync_threads()


@cute.jit
def launch(lengths: cute.Tensor, a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    pieces(lengths, a, b, n).launch(grid=(1, 1, 1), block=(128, 1, 1))
