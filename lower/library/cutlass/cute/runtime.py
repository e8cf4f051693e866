# What makes arguments of other frameworks' tensors. Each call makes another one, whose type may be set.
import fencepost


def from_dlpack(tensor_dlpack, assumed_align=None, use_32bit_stride=False, enable_tvm_ffi=False, force_tf32=False):
    return fencepost.symbol(fencepost.name("tensor", fencepost.data()))
