// i[s] is s[i], and a comma gives the place on its right.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void turn(const float* x, float* y, int n) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  (n, s[t]) = x[t];
  __syncthreads();
  y[t] = (THREADS - 1 - t)[s];
}

void run(const float* x, float* y, int n) { turn<<<1, THREADS>>>(x, y, n); }
