// A variable of the GPU has the value that the host gave it last: its initialiser shows no barrier.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__device__ int mode = 2;

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if (mode == 2) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b, int n) {
  cudaMemcpyToSymbol(mode, &n, sizeof(n));
  mirror<<<1, 64>>>(a, b);
}
