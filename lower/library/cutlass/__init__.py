# The DSL's own classes that synchronize, as models.
import fencepost

TOOLKIT = "the DSL is built for CUDA 13.0"


class _Toolkit:
    @property
    def major(self):
        fencepost.assume(TOOLKIT)
        return 13

    @property
    def minor(self):
        fencepost.assume(TOOLKIT)
        return 0


CUDA_VERSION = _Toolkit()


def load_swizzled(ptr, swizzle, alignment=None, *, count=None, loc=None, ip=None):
    return ptr.load_swizzled(swizzle, alignment, count=count)


def store_swizzled(ptr, value, swizzle, alignment=None, *, loc=None, ip=None):
    ptr.store_swizzled(value, swizzle, alignment)


def apply_swizzle(ptr, swizzle, *, loc=None, ip=None):
    return ptr.apply_swizzle(swizzle)
