from cutlass.base_dsl.arch import Arch
