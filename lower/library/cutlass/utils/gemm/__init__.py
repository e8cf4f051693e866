from cutlass.utils.gemm import sm100
