# Copies as functions of the tile and the stage. Which end is shared memory decides the direction.
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync
from cutlass.experimental.primitives import cp_async_bulk_global_shared_cta
import fencepost


def is_shared(tensor):
    return tensor.memspace == cute.AddressSpace.smem


def boxes(tensor, single_stage):
    """The modes of one box grouped as mode 0; the last one counts stages or tiles."""
    last = cute.rank(tensor)
    if not single_stage:
        last -= 1
    return cute.group_modes(tensor, 0, last)


def tma_get_copy_fn(atom, cta_coord, cta_layout, src_tensor, dst_tensor, filter_zeros=False, single_stage=False, *,
                    loc=None, ip=None, **kwargs):
    """A TMA copy between a tensor in global memory and its stages in shared memory, and both partitioned."""
    store = is_shared(src_tensor)
    if store:
        shared, far = boxes(src_tensor, single_stage), boxes(dst_tensor, single_stage)
    else:
        shared, far = boxes(dst_tensor, single_stage), boxes(src_tensor, single_stage)
    s, g = cpasync.tma_partition(atom, cta_coord, cta_layout, shared, far)
    if store:
        src, dst = s, g
    else:
        src, dst = g, s

    def copy_tile(src_idx, dst_idx, **more):
        cute.copy(atom, src[None, src_idx], dst[None, dst_idx], **more, **kwargs)

    def copy_all(**more):
        cute.copy(atom, src, dst, **more, **kwargs)

    if single_stage:
        return copy_all, s, g
    return copy_tile, s, g


def cpasync_bulk_get_copy_fn(src_tensor, dst_tensor, single_stage=False, reduction_kind=None, **kwargs):
    """A bulk copy of one elected lane: into shared memory it completes on an mbarrier, out of it in a bulk group."""
    src, dst = boxes(src_tensor, single_stage), boxes(dst_tensor, single_stage)
    store = is_shared(src_tensor)

    def copy_part(a, b, tma_bar_ptr, more):
        with cute.arch.elect_one():
            if store:
                cute.copy(cute.make_copy_atom(cpasync.CopyBulkS2GOp(), src_tensor.element_type), a, b)
            else:
                cute.copy(cute.make_copy_atom(cpasync.CopyBulkG2SOp(), src_tensor.element_type), a, b, mbar_ptr=tma_bar_ptr, **more, **kwargs)

    def copy_tile(src_idx, dst_idx, tma_bar_ptr=None, **more):
        copy_part(src[None, src_idx], dst[None, dst_idx], tma_bar_ptr, more)

    def copy_all(tma_bar_ptr=None, **more):
        copy_part(src, dst, tma_bar_ptr, more)

    if single_stage:
        return copy_all
    return copy_tile


def tma_producer_copy_fn(copy, pipeline):
    """The same copy into the stage of a producer's state, completing on that stage's full barrier."""
    def copy_fn(src_idx, producer_state, **more):
        copy(src_idx=src_idx, dst_idx=producer_state.index, tma_bar_ptr=pipeline.producer_get_barrier(producer_state), **more)

    return copy_fn


def tiled_copy_1d(dtype, num_threads, num_copy_elems=1, is_async=False):
    return tiled_copy_2d(dtype, 1, num_threads, num_copy_elems, is_async)


def tiled_copy_2d(dtype, threads_per_row, num_threads, num_copy_elems=1, is_async=False):
    op = cpasync.CopyG2SOp() if is_async else cute.nvgpu.CopyUniversalOp()
    threads = cute.make_layout((num_threads // threads_per_row, threads_per_row))
    return cute.make_tiled_copy_tv(cute.make_copy_atom(op, dtype), threads, cute.make_layout((1, num_copy_elems)))


def copy(src, dst, *, pred=None, is_async=False, loc=None, ip=None, **kwargs):
    op = cpasync.CopyG2SOp() if is_async else cute.nvgpu.CopyUniversalOp()
    cute.copy(cute.make_copy_atom(op, src.element_type), src, dst, **kwargs)


def cvt_copy(tiled_copy, src, dst, *, pred=None, retile=False, loc=None, ip=None, **kwargs):
    cute.copy(tiled_copy, src, dst, **kwargs)


def load_s2r(src, *, loc=None, ip=None):
    dst = cute.make_rmem_tensor_like(src, src.element_type)
    cute.autovec_copy(src, dst)
    return dst


def load_t2r(tiled_copy, src, *, fence=False, loc=None, ip=None):
    dst = cute.make_rmem_tensor_like(src, src.element_type)
    cute.copy(tiled_copy, src, dst)
    if fence:
        cute.arch.fence_view_async_tmem_load()
    return dst


def make_tmem_copy(tmem_copy_atom, num_wg=1, *, loc=None, ip=None):
    return cute.nvgpu.tcgen05.make_tmem_copy(tmem_copy_atom, fencepost.data())


def predicate_k(tAcA, limit):
    return fencepost.data()


def create_ragged_tensor_for_tma(T, ragged_dim=0, ptr_shift=False, *, loc=None, ip=None):
    """A tensor whose rows start where each sequence starts: one more mode, two without a shifted pointer."""
    ones = 1 if ptr_shift else 2
    for _ in range(ones):
        T = cute.append_ones(T)
    return T


def offset_ragged_tensor(T, offset, length, ragged_dim=0, ptr_shift=False, *, loc=None, ip=None):
    last = 1 if ptr_shift else 2
    return T[(None,) * (cute.rank(T) - last) + (0,) * last]


def partition_D_position_independent(thr_copy, tensor):
    return thr_copy.partition_D(tensor)


def partition_S_position_independent(thr_copy, tensor):
    return thr_copy.partition_S(tensor)


def get_smem_store_C(tiled_mma, sC, tidx, transpose=False, position_independent=False, major_mode_size=None):
    """Registers of an accumulator into shared memory, converted on the way."""
    tiled_copy = cute.make_tiled_copy_C(cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(transpose, 4), sC.element_type), tiled_mma)
    thr_copy = tiled_copy.get_slice(tidx)
    part = thr_copy.partition_D(sC)

    def copy_fn(src, dst_idx=None, fence=False, **more):
        dst = part if dst_idx is None else part[None, None, None, dst_idx]
        cute.copy(tiled_copy, src, dst, **more)
        if fence:
            cute.arch.fence_view_async_shared()

    return copy_fn, thr_copy, part


def get_smem_load_C(tiled_mma, sC, tidx, transpose=False, position_independent=False):
    tiled_copy = cute.make_tiled_copy_C(cute.make_copy_atom(cute.nvgpu.warp.LdMatrix8x8x16bOp(transpose, 4), sC.element_type), tiled_mma)
    thr_copy = tiled_copy.get_slice(tidx)
    part = thr_copy.partition_S(sC)

    def copy_fn(src_idx=None, **more):
        src = part if src_idx is None else part[None, None, None, src_idx]
        dst = cute.make_rmem_tensor_like(src, src.element_type)
        cute.copy(tiled_copy, src, dst)
        return dst

    return copy_fn, thr_copy, part


def cpasync_bulk_s2g(smem_ptr, gmem_ptr, store_bytes, *, reduction_kind=None, dtype=None, loc=None, ip=None):
    cp_async_bulk_global_shared_cta(gmem_ptr, smem_ptr, store_bytes)


def cpasync_reduce_bulk_add_f32(smem_ptr, gmem_ptr, store_bytes, *, loc=None, ip=None):
    cpasync_bulk_s2g(smem_ptr, gmem_ptr, store_bytes)
