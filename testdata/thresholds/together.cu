// Numbers that four divides meet, those that twelve divides read: all of these are among them.
// expect: holds
// small: -
#include <cuda_runtime.h>

__global__ void kernel(const float* a, float* b, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];
  if (n % 4 == 0) __syncthreads();
  if (n % 12 == 0) b[threadIdx.x] = s[127 - threadIdx.x];
}

void run(const float* a, float* b, int n) { kernel<<<1, 128>>>(a, b, n); }
