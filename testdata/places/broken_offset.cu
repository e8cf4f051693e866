// As offset.cu with no barrier between the writes.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void own(const float* x, float* y) {
  float* mine = y + threadIdx.x;
  mine[0] = x[threadIdx.x];
  y[THREADS - 1 - threadIdx.x] = 1.f;  // want FP720
}

void run(const float* x, float* y) { own<<<1, THREADS>>>(x, y); }
