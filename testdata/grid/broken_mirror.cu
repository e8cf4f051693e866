// The tile is read with no barrier behind its writes.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void mirror(const float* x, float* out, float* scratch) {
  float* mine = scratch + blockIdx.x * THREADS;
  mine[threadIdx.x] = x[threadIdx.x];
  out[blockIdx.x * THREADS + threadIdx.x] = mine[THREADS - 1 - threadIdx.x];  // want FP720
}

void run(const float* x, float* out, float* scratch, int n) { mirror<<<n, THREADS>>>(x, out, scratch); }
