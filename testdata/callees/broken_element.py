# As right_element.py, but each CTA expects as many bytes as one float has.
# expect: violated deadlock
# small: -
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, Vector


def together(a, b):
    return Vector.from_elements((Float32(a), Float32(b)), Float32).bitcast(Int64).to_elements()[0]


def hand_over(value, slot, bar, peer):
    there, signal = cute.arch.map_dsmem_ptr(slot, peer).toint(), cute.arch.map_dsmem_ptr(bar, peer).toint()
    suffix = {Float32: "f32", Int64: "s64"}[type(value)]
    cute.arch.inline_ptx(
        f"st.async.shared::cluster.mbarrier::complete_tx::bytes.{suffix} [{{$r0}}], {{$r1}}, [{{$r2}}];",
        read_only_args=[there, value, signal],
    )


@cute.kernel
def swap(smem: cutlass.Constexpr, out: cute.Tensor):
    tid = cute.arch.thread_idx_x()
    rank = cute.arch.block_idx_in_cluster()
    bar = smem.alloc_array(Int64, 1)
    box = smem.alloc_array(Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(bar, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.mbarrier_arrive_and_expect_tx(bar, 4)
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if tid == 0:
        hand_over(together(tid, rank), box, bar, rank ^ 1)
    cute.arch.mbarrier_wait(bar, 0)
    out[rank * 32 + tid] = box[0]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def run(smem: cutlass.Constexpr, out: cute.Tensor):
    swap(smem, out).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))
