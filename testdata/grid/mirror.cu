// Each CTA turns its tile round through global memory.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void mirror(const float* x, float* out, float* scratch) {
  float* mine = scratch + blockIdx.x * THREADS;
  mine[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * THREADS + threadIdx.x] = mine[THREADS - 1 - threadIdx.x];
}

void run(const float* x, float* out, float* scratch, int n) { mirror<<<n, THREADS>>>(x, out, scratch); }
