# What GEMMs of operands of two widths ask the library for: where the widened operand goes, how scales lie, and each
# thread's parts of it all. Nothing here synchronizes; what matters are kinds of copies, bytes and how often loops go round.
import cutlass
import cutlass.cute as cute
import cutlass.utils.blackwell_helpers as sm100_utils
import fencepost
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from enum import Enum


class TransformMode(Enum):
    ConvertOnly = 1
    ConvertScale = 2


def get_transform_a_source(a_major_mode):
    """The widened A stays in tensor memory if K is contiguous, and goes back to shared memory if not."""
    return tcgen05.OperandSource.TMEM if a_major_mode == OperandMajorMode.K else tcgen05.OperandSource.SMEM


def get_tma_atom_kind(mcast, use_2cta_instrs, is_b):
    group = tcgen05.CtaGroup.ONE
    if use_2cta_instrs and is_b:
        group = tcgen05.CtaGroup.TWO
    if mcast:
        load = cpasync.CopyBulkTensorTileG2SMulticastOp(group)
    else:
        load = cpasync.CopyBulkTensorTileG2SOp(group)
    return load


def get_copy_atom_a_transform(mma_dtype, use_2cta_instrs, transform_a_source, a_smem_shape, a_dtype):
    if transform_a_source == tcgen05.OperandSource.TMEM:
        return cute.make_copy_atom(tcgen05.St32x32bOp(fencepost.data()), mma_dtype)
    return cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a_dtype)


def _repeated(extents, blocks, k_is_far):
    """A layout in which blocks of elements share one scale each."""
    rows, columns = (cute.ceil_div(e, b) for e, b in zip(extents, blocks))
    steps = (1, rows) if k_is_far else (columns, 1)
    return cute.make_layout(((blocks[0], rows), (blocks[1], columns)), stride=((0, steps[0]), (0, steps[1])))


def get_gmem_layout_scale(scale_shape_mkl, scale_granularity_m, scale_granularity_k, scale_major_mode):
    m, k, batch = scale_shape_mkl
    one = _repeated((m, k), (scale_granularity_m, scale_granularity_k), scale_major_mode == OperandMajorMode.MN)
    return cute.append(one, cute.make_layout(batch, stride=cute.cosize(one)))


def get_smem_layout_scale(mma_tiler, use_2cta_instrs, scale_granularity_m, scale_granularity_k, scale_major_mode,
                          a_scale_dtype, num_scale_load2trans_stage):
    rows, depth = cute.size(mma_tiler[0]), cute.size(mma_tiler[2])
    if use_2cta_instrs:
        rows = rows // 2
    blocks = (min(scale_granularity_m, rows), min(scale_granularity_k, depth))
    one = _repeated((rows, depth), blocks, scale_major_mode == OperandMajorMode.MN)
    staged = cute.append(one, cute.make_layout(num_scale_load2trans_stage, stride=cute.cosize(one)))
    return (rows, depth), one, staged


def compute_smem_layout(tiled_mma, mma_tiler_mnk, a_dtype, b_dtype, load2trans_stage_count, trans2mma_stage_count):
    narrow = sm100_utils.make_smem_layout_a(tiled_mma, mma_tiler_mnk, a_dtype, load2trans_stage_count)
    wide = sm100_utils.make_smem_layout_a(tiled_mma, mma_tiler_mnk, b_dtype, trans2mma_stage_count)
    return narrow, wide, sm100_utils.make_smem_layout_b(tiled_mma, mma_tiler_mnk, b_dtype, load2trans_stage_count)


def scale_tma_partition(tCsS, tCgS, tma_atom_s, block_in_cluster_coord_vmnk, scale_cta_layout):
    return cpasync.tma_partition(tma_atom_s, block_in_cluster_coord_vmnk[2], scale_cta_layout,
                                 cute.group_modes(tCsS, 0, 3), cute.group_modes(tCgS, 0, 3))


def transform_partition(transform_a_source, scale_mode, copy_atom_a_input, copy_atom_a_transform, sA_input, A_transform,
                        transform_local_tidx):
    through_tmem = transform_a_source == tcgen05.OperandSource.TMEM
    if through_tmem:
        copy = tcgen05.make_tmem_copy(copy_atom_a_transform, A_transform)
    else:
        copy = cute.make_cotiled_copy(copy_atom_a_transform, cute.make_layout((128, 8)), A_transform.layout)
    own = copy.get_slice(transform_local_tidx)
    reading = None
    if scale_mode is TransformMode.ConvertScale:
        reading = cute.make_tiled_copy_S(copy_atom_a_input, copy)
    return reading, copy if through_tmem else None, own.partition_S(sA_input), own.partition_D(A_transform)


def scale_partition(src_copy_a, tCsS, transform_local_tidx, mma_dtype):
    own = src_copy_a.get_slice(transform_local_tidx)
    part = own.partition_S(tCsS)
    held = cute.make_rmem_tensor(part[None, None, None, None, 0].shape, mma_dtype)
    return own, part, held, held


def epilog_tmem_copy_and_partition(cta_tile_shape_mnk, c_layout, c_dtype, acc_dtype, tidx, tAcc, gC_mnl, epi_tile,
                                   use_2cta_instrs):
    tiles = cute.flat_divide(tAcc[(None, None), 0, 0, None], epi_tile)
    copy = tcgen05.make_tmem_copy(fencepost.data(), tiles)
    own = copy.get_slice(tidx)
    part = own.partition_S(tiles)
    return copy, part, cute.make_rmem_tensor(part[None, None, None, 0, 0, 0].shape, acc_dtype)


def epilog_smem_copy_and_partition(c_layout, c_dtype, acc_dtype, tiled_copy_t2r, tTR_rC, tidx, sC):
    copy = cute.make_tiled_copy_D(fencepost.data(), tiled_copy_t2r)
    return copy, tTR_rC, copy.get_slice(tidx).partition_D(sC)


def epilog_gmem_copy_and_partition(c_dtype, tidx, tma_atom_c, tiled_copy_t2r, gC_mnl_tma, gC_mnl_simt, epi_tile, sC):
    staged, stored, atom, held = None, None, None, None
    if tma_atom_c is not None:
        tiles = cute.flat_divide(gC_mnl_tma[(None, None), 0, 0, None, None, None], epi_tile)
        staged, stored = cpasync.tma_partition(tma_atom_c, 0, cute.make_layout(1), cute.group_modes(sC, 0, 2),
                                               cute.group_modes(tiles, 0, 2))
    if tiled_copy_t2r is not None:
        tiles = cute.flat_divide(gC_mnl_simt[(None, None), 0, 0, None, None, None], epi_tile)
        held = tiled_copy_t2r.get_slice(tidx).partition_D(tiles)
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), c_dtype)
    return tma_atom_c, staged, stored, atom, held


# What the host side asks before it compiles: a kernel that is launched has passed.
def is_valid_scale_granularity(scale_granularity_m, scale_granularity_k, a_dtype, k, mma_tiler_k):
    return True


def is_valid_tensor_alignment(*args, **kwargs):
    return True


def is_valid_mma_tiler_and_cluster_shape(mma_tiler, cluster_shape_mn, use_2cta_instrs):
    ctas = 2 if use_2cta_instrs else 1
    return cluster_shape_mn[0] % ctas == 0 and mma_tiler[0] // ctas in (64, 128)


def is_shuffle_a(a_major, k, a_dtype, mma_dtype, scale_granularity_k):
    return False  # how A is converted in registers


def get_divisibility(contiguous_dim_size, upper_bound=128):
    return upper_bound  # of sizes, for the width of copies


def cvt_tensor_a(src, dtype, shuffle):
    return src.load()


def store_transformed_a(src_a, dst_a, copy_atom_a):
    if copy_atom_a is None:
        cute.autovec_copy(src_a, dst_a)
    else:
        cute.copy(copy_atom_a, src_a, dst_a)


class ContiguousGroupWorkTileInfo:
    """A tile of one of several groups that lie one behind the other; the group behind the last one says that there is no more work."""

    def __init__(self, group_count, cta_coord_m, coord_n, group_idx, distance_to_boundary):
        self.group_count = group_count
        self.cta_coord_m = cta_coord_m
        self.coord_n = coord_n
        self.group_idx = group_idx
        self.distance_to_boundary = distance_to_boundary

    @property
    def is_valid_tile(self):
        return self.group_idx < self.group_count


def make_contiguous_group_work_tile_info(group_count, sTile_info):
    """The tile that another warp has written to shared memory."""
    return ContiguousGroupWorkTileInfo(group_count, sTile_info[0], sTile_info[1], sTile_info[2], sTile_info[3])
