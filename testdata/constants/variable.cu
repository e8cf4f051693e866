// A variable of the GPU has the value that the host gave it last; here it only chooses what is added.
// expect: holds
// small: -
#include <cuda_runtime.h>

__device__ int mode = 2;

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x] + mode;
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b, int n) {
  cudaMemcpyToSymbol(mode, &n, sizeof(n));
  mirror<<<1, 64>>>(a, b);
}
