// The cells that are added are read with no barrier behind their writes.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void add(const float* x, float* sum) {
  __shared__ float s[THREADS];
  s[threadIdx.x] = x[threadIdx.x];
  atomicAdd(sum, s[THREADS - 1 - threadIdx.x]);  // want FP720
}

void run(const float* x, float* sum) { add<<<1, THREADS>>>(x, sum); }
