// As rebound.cu, but the pointer is set to the cells that are used.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void spare(const float* x, float* y) {
  __shared__ float s[2 * THREADS];
  const int t = threadIdx.x;
  float* p = s + THREADS;
  float** at = &p;
  *at = s;
  s[t] = x[t];
  p[THREADS - 1 - t] = 0.f;  // want FP720
  __syncwarp();
  y[t] = s[t ^ 1];
}

void run(const float* x, float* y) { spare<<<1, THREADS>>>(x, y); }
