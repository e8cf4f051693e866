// A character literal is a char, no int: two stages.
// expect: holds
// small: -
#include <cuda_runtime.h>

__device__ int stages(char) { return 2; }
__device__ int stages(int) { return 1; }

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][64];
  for (int i = 0; i < n; i++) {
    s[i % stages('a')][threadIdx.x] = a[i * 64 + threadIdx.x];
    __syncthreads();
    b[i * 64 + threadIdx.x] = s[i % stages('\x61')][63 - threadIdx.x];
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 64>>>(a, b, n); }
