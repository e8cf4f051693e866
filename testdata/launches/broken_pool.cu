// HIP's macro declares the dynamic shared memory.
// expect: violated race
// small: -
#include <hip/hip_runtime.h>

__global__ void gather(const float* in, const int* from, float* out) {
  HIP_DYNAMIC_SHARED(float, row)
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[from[threadIdx.x]];  // want FP720
}

void launch(const float* in, const int* from, float* out) { hipLaunchKernelGGL(gather, dim3(1), dim3(128), 512, 0, in, from, out); }
