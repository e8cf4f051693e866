import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


def row_loader(src, dst):
    def load(k, stage, full):
        atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), src.element_type)
        cute.copy(atom, src[None, k], dst[None, stage], mbar_ptr=full)  # want FP111 "every lane"

    return load


def elected_row_loader(src, dst):
    def load(k, stage, full):
        atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), src.element_type)
        with cute.arch.elect_one():
            cute.copy(atom, src[None, k], dst[None, stage], mbar_ptr=full)

    return load


@cute.kernel
def by_hand(src: cute.Tensor, dst: cute.Tensor, full: cute.Pointer, tma_atom: cute.CopyAtom):
    tidx, _, _ = cute.arch.thread_idx()
    row = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), cutlass.Float32)
    tile = cute.make_copy_atom(cpasync.CopyBulkTensorTileG2SOp(), cutlass.Float32)
    if tidx == 0:
        cute.copy(row, src, dst, mbar_ptr=full)
    if tidx < 32:
        cute.copy(tile, src, dst, tma_bar_ptr=full)
        cute.copy(tma_atom, src, dst, tma_bar_ptr=full)
