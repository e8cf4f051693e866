#include <cooperative_groups.h>

__global__ void by_name(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads;  // want FP415 "named and not called"
  x[threadIdx.x] = s[63 - threadIdx.x];
}

__device__ void nested(int* flag, bool last) {
  if (last) {
    __threadfence;  // want FP415 "__threadfence"
    atomicAdd(flag, 1);
  }
  for (int k = 0; k < 4; k++) __syncwarp;  // want FP415 "__syncwarp"
}

// A name of the function's own is none of CUDA's, and what a call gives may be left unused.
__device__ int right(int* flag) {
  int unused = 0;
  unused;
  (void)unused;
  __syncthreads_count(1);
  __syncthreads();
  return *flag;
}
