# A base that only says how its dataclasses cross into a kernel, and the device as kernels ask for it.
from dataclasses import dataclass
import fencepost


@dataclass
class ParamsBase:
    pass


@dataclass
class ArgumentsBase:
    pass


def mlir_namedtuple(cls):
    return cls
