"""What kernels ask the DSL about the machine that they are compiled for."""

from cutlass.base_dsl.arch import Arch
from cutlass.base_dsl.dsl import BaseDSL
