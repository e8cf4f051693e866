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


_ROWS = {"s32b": 1, "s64b": 2, "s128b": 3}


class Swizzle:  # bits of the place that are changed, those below which are not, and how far up those are that change them
    def __init__(self, bits, base, shift):
        self.bits = bits
        self.base = base
        self.shift = shift

    @classmethod
    def from_name(cls, name):
        return cls(_ROWS[name], 4, 3)


def load_swizzled(ptr, swizzle, alignment=None, *, count=None, loc=None, ip=None):
    return ptr.load_swizzled(swizzle, alignment, count=count)


def store_swizzled(ptr, value, swizzle, alignment=None, *, loc=None, ip=None):
    ptr.store_swizzled(value, swizzle, alignment)


def apply_swizzle(ptr, swizzle, *, loc=None, ip=None):
    return ptr.apply_swizzle(swizzle)
