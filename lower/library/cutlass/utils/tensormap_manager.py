# Tensor maps that a kernel changes while it runs. The fences of the tensormap proxy order the change before the copies
# that use it; the barriers among the warps are in the user's code (notes/cutedsl.md 1.5).
import enum
import cutlass.cute as cute
import fencepost


class TensorMapUpdateMode(enum.Enum):
    GMEM = 1
    SMEM = 2


class TensorMapManager:
    def __init__(self, tensormap_update_mode, bytes_per_tensormap):
        self.tensormap_update_mode = tensormap_update_mode
        self.bytes_per_tensormap = bytes_per_tensormap

    def get_tensormap_ptr(self, ptr, address_space=None, *, loc=None, ip=None):
        return fencepost.data()

    def init_tensormap_from_atom(self, copy_atom, dst_ptr, warp_id, *, loc=None, ip=None):
        if cute.arch.warp_idx() == warp_id:
            cute.arch.sync_warp()

    def fence_tensormap_initialization(self, *, loc=None, ip=None):
        pass

    def fence_tensormap_update(self, tensormap_ptr, *, loc=None, ip=None):
        pass

    def update_tensormap(self, tensor_gmem, tma_copy_atom, tensormap_gmem_ptr, warp_id, tensormap_smem_ptr, *, loc=None,
                         ip=None):
        if cute.arch.warp_idx() == warp_id:
            cute.arch.sync_warp()
