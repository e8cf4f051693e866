import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


def peers(tma_multicast):
    """The CTAs that share a tile: those with the same row of the cluster for dimension "M", the same column for "N".

    For pairs that multiply together, each CTA of a pair holds its own half of B.
    """
    rows, columns = tma_multicast["cluster_shape"]
    row, column, _ = cute.arch.block_in_cluster_idx()
    if tma_multicast["multicast_dim"] == "M":
        return [row + rows * i for i in range(columns)]
    step = 2 if tma_multicast.get("use_2cta_mma_inst", False) else 1
    return [row % step + step * i + rows * column for i in range((rows + step - 1) // step)]


def block_copy(tiled_copy, src, dst, *, loc=None, ip=None, tma_multicast=None, **kwargs):
    """A copy of a whole tile. Multicast, every CTA that shares the tile brings its part of it to all of them."""
    ctas = [] if tma_multicast is None else peers(tma_multicast)
    if len(ctas) > 1:
        mask = 0
        for rank in ctas:
            mask = mask | (1 << rank)
        dst, src = cpasync.tma_partition(tiled_copy, 0, cute.make_layout(len(ctas)), dst, src)
        cute.copy(tiled_copy, src, dst, mcast_mask=mask, **kwargs)
    else:
        cute.copy(tiled_copy, src, dst, **kwargs)
