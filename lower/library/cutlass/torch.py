# Tensors that drivers make: unknown, but for the type of their elements.
import fencepost


def cute_tensor_like(data_ref, cutlass_dtype, is_dynamic_layout, assumed_align=None):
    tensor = fencepost.symbol(fencepost.name("tensor", fencepost.data()))
    return fencepost.typed(tensor, cutlass_dtype), fencepost.data()
