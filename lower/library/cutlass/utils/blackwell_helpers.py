# Sizes that kernels for tcgen05 ask the library for. What is not here (layouts, multiply and copy atoms) the evaluator
# knows by name.
import cutlass.cute as cute

LANES_PER_WARP = 32  # rows of tensor memory that one warp reaches (PTX ISA 9.7.16.2.3)


def columns_with_source(cta_m, cta_n, bits):
    """Columns of a tile that is read before it is written."""
    narrow = cta_m > 64 and cta_n <= 128
    if bits == 32:
        return 16 if narrow else 32
    if bits == 16:
        return 32 if narrow else 64
    return 64


def compute_epilogue_tile_shape(cta_tile_shape, use_2cta_instrs, layout_d, elem_ty_d, *, layout_c=None, elem_ty_c=None,
                                tmem_warp_shape_mn=None, loc=None, ip=None):
    """The part of a CTA's tile that four warps pass through shared memory at a time: the rows that they reach, and
    as many columns as make 4096 elements, 8192 of 4 bits."""
    cta_m, cta_n = cute.size(cta_tile_shape[0]), cute.size(cta_tile_shape[1])
    warps_m, warps_n = 4, 1
    if tmem_warp_shape_mn is not None:
        warps_m, warps_n = tmem_warp_shape_mn
    elif cta_m == 64 and use_2cta_instrs:
        warps_m, warps_n = 2, 2
    tile_m = min(cta_m, LANES_PER_WARP * warps_m)
    bits = elem_ty_d.width
    if elem_ty_c is None:
        columns = (8192 if bits == 4 else 4096) // tile_m
    else:
        columns = columns_with_source(cta_m, cta_n, max(bits, elem_ty_c.width))
    # A row of the tile is at least 16 bytes for each warp, 128 elements where these have 6 bits. What is laid out along
    # columns asks for 8 elements, never more than that.
    least = 128 if bits == 6 else 128 // bits
    tile_n = min(cta_n, max(columns, least * warps_n))
    return cute.make_layout(tile_m), cute.make_layout(tile_n)


def tma_load(multicast, atom_thr_id):
    """The TMA load of one CTA's part of a tile, for a multiplication by one CTA or by a pair."""
    group = cute.nvgpu.tcgen05.CtaGroup.TWO if cute.size(atom_thr_id) == 2 else cute.nvgpu.tcgen05.CtaGroup.ONE
    if multicast:
        load = cute.nvgpu.cpasync.CopyBulkTensorTileG2SMulticastOp(group)
    else:
        load = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(group)
    return load


def cluster_shape_to_tma_atom_A(cluster_shape_mnk, atom_thr_id, *, loc=None, ip=None):
    """CTAs along n share tiles of A."""
    return tma_load(cute.size(cluster_shape_mnk[1]) > 1, atom_thr_id)


def cluster_shape_to_tma_atom_B(cluster_shape_mnk, atom_thr_id, *, loc=None, ip=None):
    """CTAs along m that belong to different multiplications share tiles of B."""
    return tma_load(cute.size(cluster_shape_mnk[0]) > cute.size(atom_thr_id), atom_thr_id)


def cluster_shape_to_tma_atom_SFB(cluster_shape_mnk, atom_thr_id, *, loc=None, ip=None):
    """CTAs along m share the scale factors of B; both CTAs of a pair need all of them."""
    return tma_load(cute.size(atom_thr_id) == 2 or cute.size(cluster_shape_mnk[0]) > 1, atom_thr_id)
