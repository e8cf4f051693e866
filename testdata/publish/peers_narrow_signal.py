# The signal is for its own GPU.
# expect: stale
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


@cute.kernel
def to_peers(inbox: cute.Pointer, peer_signal: cute.Pointer, out: cute.Pointer, sends: Int32):
    tidx, _, _ = cute.arch.thread_idx()
    if sends == 1:
        inbox[tidx] = Float32(4.0)
        cute.arch.sync_threads()
        if tidx == 0:
            cute.arch.atomic_add(peer_signal, 1, sem="release", scope="gpu")  # want FP302
    else:
        if tidx == 0:
            while cute.arch.load(peer_signal, Int32, sem="acquire", scope="sys") < 1:
                pass
        cute.arch.sync_threads()
        out[tidx] = inbox[tidx]
