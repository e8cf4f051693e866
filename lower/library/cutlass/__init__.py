# The DSL's own classes that synchronize, as models.


def load_swizzled(ptr, swizzle, alignment=None, *, count=None, loc=None, ip=None):
    return ptr.load_swizzled(swizzle, alignment, count=count)


def store_swizzled(ptr, value, swizzle, alignment=None, *, loc=None, ip=None):
    ptr.store_swizzled(value, swizzle, alignment)


def apply_swizzle(ptr, swizzle, *, loc=None, ip=None):
    return ptr.apply_swizzle(swizzle)
