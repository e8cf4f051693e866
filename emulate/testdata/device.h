// What the kernels of this folder need of CUDA, for clang without the toolkit:
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -gline-tables-only -S -o k.ptx k.cu
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#include <__clang_cuda_builtin_vars.h>

#define SYNC(id, n) asm volatile("bar.sync %0, %1;" : : "n"(id), "n"(n) : "memory")
#define ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" : : "n"(id), "n"(n) : "memory")
