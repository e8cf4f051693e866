// The size of a type and of an array is a constant.
// expect: holds
// small: -
#include <cuda_runtime.h>

using Wide = const float4;

template <class T> __device__ void meet() {
  if (sizeof(T) == 16) __syncthreads();
}

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  meet<Wide>();
  const float x = s[63 - threadIdx.x];
  if (sizeof(s) == 64 * sizeof(float) && sizeof(float*) == 8) __syncthreads();
  s[threadIdx.x] = x;
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b) { mirror<<<1, 64>>>(a, b); }
