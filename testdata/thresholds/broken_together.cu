// Numbers that four divides meet, those that six divides read: nobody has met for six.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__global__ void kernel(const float* a, float* b, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];
  if (n % 4 == 0) __syncthreads();
  if (n % 6 == 0) b[threadIdx.x] = s[127 - threadIdx.x];  // want FP720
}

void run(const float* a, float* b, int n) { kernel<<<1, 128>>>(a, b, n); }
