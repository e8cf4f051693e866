# Library epilogues (notes/cutedsl.md 1.5): they wait for the accumulator, pass it through shared memory or straight to
# global memory, and release it, one elected lane a warp.
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils.blackwell_helpers as blackwell_helpers
import fencepost


def transform_partitioned_tensor_layout(tensor):
    """((atom m, atom n), m, n, rest…) seen as ((atom m, m), (atom n, n), rest…)."""
    shape = tensor.shape
    modes = [(shape[0][0], shape[1]), (shape[0][1], shape[2])] + [shape[i] for i in range(3, cute.rank(tensor))]
    seen = fencepost.columns(tensor, tuple(modes))
    if seen is None:
        return cute.make_tensor(tensor.iterator, cute.make_layout(tuple(modes)))
    return seen


def epilogue_tmem_copy_and_partition(gemm_kernel, tidx, tAcc, tCgC, epi_tile, use_2cta_instrs):
    load = blackwell_helpers.get_tmem_load_op(gemm_kernel.cta_tile_shape_mnk, gemm_kernel.c_layout, gemm_kernel.c_dtype,
                                              gemm_kernel.acc_dtype, epi_tile, use_2cta_instrs)
    copy = cute.nvgpu.tcgen05.make_tmem_copy(load, tAcc)
    return copy, copy.get_slice(tidx).partition_S(cute.flat_divide(tAcc, epi_tile)), cute.make_rmem_tensor(fencepost.data(), fencepost.data())


def epilogue_smem_copy_and_partition(gemm_kernel, tiled_copy_t2r, tTR_rC, tidx, sC):
    copy = cute.make_tiled_copy_D(fencepost.data(), tiled_copy_t2r)
    return copy, tTR_rC, copy.get_slice(tidx).partition_D(sC)


def subtiles_of(accumulator, epi_tile):
    """How many epilogue tiles one stage of the accumulator has."""
    tile = cute.size(accumulator, mode=[0]) * cute.size(accumulator, mode=[1]) * cute.size(accumulator, mode=[2])
    subtiles = tile // cute.size(epi_tile)
    if isinstance(subtiles, int) and subtiles > 0:
        return subtiles
    # Two subtiles a tile fill and reuse every stage of the ring within the tiles that are searched.
    return fencepost.count("epilogue subtiles", 2)


def stage_read(tCtAcc_base, index):
    """The stage of the accumulator that an epilogue reads."""
    return tCtAcc_base[tuple([None] * (cute.rank(tCtAcc_base) - 1)) + (index,)]


def epilogue_tma_store(gemm_kernel, epi_tidx, warp_idx, tma_atom_c, tCtAcc_base, sC, tCgC_base, epi_tile,
                       num_tiles_executed, epilogue_op, mma_tile_coord_mnl, acc_consumer_state, acc_pipeline, c_pipeline):
    warps = gemm_kernel.epilogue_warp_id
    together = pipeline.NamedBarrier(barrier_id=gemm_kernel.epilog_sync_bar_id, num_threads=32 * len(warps))
    load, _, registers = epilogue_tmem_copy_and_partition(gemm_kernel, epi_tidx, transform_partitioned_tensor_layout(tCtAcc_base),
                                                          tCgC_base, epi_tile, gemm_kernel.use_2cta_instrs)
    store, values, parts = epilogue_smem_copy_and_partition(gemm_kernel, load, registers, epi_tidx, sC)
    acc_pipeline.consumer_wait(acc_consumer_state)
    subtiles = subtiles_of(tCtAcc_base, epi_tile)
    for subtile in range(subtiles):
        fencepost.tensor_memory(stage_read(tCtAcc_base, acc_consumer_state.index))
        stage = (num_tiles_executed * subtiles + subtile) % gemm_kernel.num_c_stage
        cute.copy(store, values, parts[None, None, None, stage])
        cute.arch.fence_proxy("async.shared", space="cta")
        together.arrive_and_wait()
        if warp_idx == warps[0]:
            cute.copy(tma_atom_c, sC[None, None, stage], fencepost.data())
            c_pipeline.producer_commit()
            c_pipeline.producer_acquire()
        together.arrive_and_wait()
    together.arrive_and_wait()
    with cute.arch.elect_one():
        acc_pipeline.consumer_release(acc_consumer_state)
    acc_consumer_state.advance()
    return acc_consumer_state


def epilogue(gemm_kernel, epi_tidx, tCtAcc_base, tCgC_base, epi_tile, epilogue_op, mma_tile_coord_mnl,
             acc_consumer_state, acc_pipeline, tCcC_base=None, mC_mnl=None, overlapping_accum=False):
    # The subtiles between wait and release concern only registers and global memory: when in between the stage is
    # given back makes no difference to who waits for whom.
    index = acc_consumer_state.phase if overlapping_accum else acc_consumer_state.index
    acc_pipeline.consumer_wait(acc_consumer_state)
    fencepost.tensor_memory(stage_read(tCtAcc_base, index))
    with cute.arch.elect_one():
        acc_pipeline.consumer_release(acc_consumer_state)
    acc_consumer_state.advance()
    return acc_consumer_state
