// A pointer is set through a pointer to it: what it pointed to is left alone.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void spare(const float* x, float* y) {
  __shared__ float s[2 * THREADS];
  const int t = threadIdx.x;
  float* p = s;
  float** at = &p;
  *at = s + THREADS;
  s[t] = x[t];
  p[THREADS - 1 - t] = 0.f;
  __syncwarp();
  y[t] = s[t ^ 1];
}

void run(const float* x, float* y) { spare<<<1, THREADS>>>(x, y); }
