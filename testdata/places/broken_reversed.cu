// As reversed.cu, with the barrier of a warp alone.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void turn(const float* x, float* y, int n) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  (n, s[t]) = x[t];  // want FP720
  __syncwarp();
  y[t] = (THREADS - 1 - t)[s];
}

void run(const float* x, float* y, int n) { turn<<<1, THREADS>>>(x, y, n); }
