"""The pipelines of cute.experimental (notes/cutedsl.md 1.4, last rows), and the calls that work on their stages.

The compiler makes these pipelines' barriers itself. A TMA load announces its own bytes and never arrives; the commit of
the pipeline is the arrival.
"""

import cutlass.cute as cute
from cutlass.cute.experimental.pipeline import (
    AsyncToUMMAPipeline,
    GenericPipeline,
    OperationTypeEnum,
    TMAStorePipeline,
    TMAToAsyncPipeline,
    TMAToUMMAPipeline,
    UMMAtoAsyncPipeline,
)


def get_mbarrier(stage_token, loc=None, ip=None):
    return stage_token.barrier


def pipeline_advance_iterator(pipe, state, loc=None, ip=None):
    following = state.clone()
    following.advance()
    return following


def tma_load(
    src,
    dst,
    mbar,
    *,
    cta_v_map=None,
    tma_operation_type=None,
    vmnk_layout=None,
    multicast_mode=None,
    internal_type=None,
    update_expect_tx=True,
    loc=None,
    ip=None,
):
    if multicast_mode is not None:
        fencepost.unmodelled("multicast tma_load of cute.experimental")
    op = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
    if tma_operation_type == OperationTypeEnum.SM100_TMA_LOAD_2SM:
        op = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(cute.nvgpu.tcgen05.CtaGroup.TWO)
    elif tma_operation_type not in (None, OperationTypeEnum.SM90_TMA_LOAD):
        fencepost.unmodelled("a kind of tma_load of cute.experimental")
    if update_expect_tx:
        with cute.arch.elect_one():
            cute.arch.mbarrier_expect_tx(mbar, fencepost.symbol("bytes of a TMA load"))
    cute.copy(cute.make_copy_atom(op, None), src, dst, tma_bar_ptr=mbar)


def tma_load_multicast(src, dst, mbar, *, vmnk_layout, cta_v_map=None, tma_operation_type, multicast_mode, update_expect_tx=True, loc=None, ip=None):
    fencepost.unmodelled("tma_load_multicast of cute.experimental")


def tma_store(src, dst, *, cta_v_map=None, internal_type=None, loc=None, ip=None):
    cute.copy(cute.make_copy_atom(cute.nvgpu.cpasync.CopyBulkTensorTileS2GOp(), None), src, dst)


def dot(mma_atom, a, b, c, *, loc=None, ip=None):
    cute.gemm(mma_atom, c, a, b, c)


def partition_and_copy(tiled_copy, src, dst, *, loc=None, ip=None):
    """What is in registers is the thread's own already."""
    if src.memspace == cute.AddressSpace.gmem and dst.memspace == cute.AddressSpace.smem:
        fencepost.unmodelled("asynchronous partition_and_copy of cute.experimental")
    if src.memspace != cute.AddressSpace.rmem:
        src = tiled_copy.partition_S(src)
    if dst.memspace != cute.AddressSpace.rmem:
        dst = tiled_copy.partition_D(dst)
    cute.copy(tiled_copy, src, dst)
