# Multiplications of warp groups: operands of a tile, and a multiplication that is committed as a group and, where the
# caller says so, waited for.
import cutlass.cute as cute
from cutlass import Float32
from cutlass.cute.nvgpu import warpgroup


def make_smem_layout(dtype, layout, tile, stage=None, major_mode_size=None, *, loc=None, ip=None):
    shape = cute.product_each(cute.shape(tile))
    if stage is not None:
        shape = cute.append(shape, stage)
    return cute.tile_to_shape(cute.make_layout(shape), shape, order=(0, 1, 2))


make_smem_layout_epi = make_smem_layout


def partition_fragment_ABC(thr_mma, shape_mnk, sA, sB, swap_AB=False):
    m, n, k = shape_mnk[0], shape_mnk[1], shape_mnk[2]
    if swap_AB:
        acc, second, first = partition_fragment_ABC(thr_mma, (n, m, k), sB, sA)
        return acc, first, second
    acc = cute.make_rmem_tensor(thr_mma.partition_shape_C((m, n)), Float32)
    if sA is None:  # from registers
        first = thr_mma.make_fragment_A(thr_mma.partition_shape_A((m, k)))
    else:
        first = thr_mma.make_fragment_A(thr_mma.partition_A(sA))
    return acc, first, thr_mma.make_fragment_B(thr_mma.partition_B(sB))


def gemm(tiled_mma, acc, tCrA, tCrB, zero_init=False, wg_wait=0, swap_AB=False):
    if swap_AB:
        tCrA, tCrB = tCrB, tCrA
    warpgroup.fence()
    cute.gemm(tiled_mma, acc, tCrA, tCrB, acc)
    warpgroup.commit_group()
    if wg_wait >= 0:
        warpgroup.wait_group(wg_wait)


def stage_of(fragment, index):
    if index is None:
        return fragment
    return fragment[None, None, None, index]


def gemm_w_idx(tiled_mma, acc, tCrA, tCrB, zero_init, A_idx=None, B_idx=None, wg_wait=-1, swap_AB=False):
    gemm(tiled_mma, acc, stage_of(tCrA, A_idx), stage_of(tCrB, B_idx), wg_wait=wg_wait, swap_AB=swap_AB)


def gemm_zero_init(tiled_mma, shape, tCrA, tCrB, A_idx=None, B_idx=None, wg_wait=-1, swap_AB=False):
    if swap_AB:
        shape = (shape[1], shape[0])
    acc = cute.make_rmem_tensor(tiled_mma.partition_shape_C(shape), Float32)
    gemm(tiled_mma, acc, stage_of(tCrA, A_idx), stage_of(tCrB, B_idx), wg_wait=wg_wait, swap_AB=swap_AB)
    return acc
