// Each thread has its pointer into global memory and writes its own element.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void own(const float* x, float* y) {
  float* mine = y + threadIdx.x;
  mine[0] = x[threadIdx.x];
  __syncthreads();
  y[THREADS - 1 - threadIdx.x] = 1.f;
}

void run(const float* x, float* y) { own<<<1, THREADS>>>(x, y); }
