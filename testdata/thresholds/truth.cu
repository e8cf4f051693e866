// A number that is asked for zero decides whether the threads meet, and the same whether they read.
// expect: holds
// small: -
#include <cuda_runtime.h>

__global__ void kernel(const float* a, float* b, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];
  if (n ^ 21) __syncthreads();
  if (n != 21) b[threadIdx.x] = s[127 - threadIdx.x];
}

void run(const float* a, float* b, int n) { kernel<<<1, 128>>>(a, b, n); }
