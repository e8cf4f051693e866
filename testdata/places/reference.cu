// A reference is read where it is used, not where it is bound: a partner's cell of the same warp.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void trade(const float* x, float* y) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  auto& mine = s[t];
  auto& other = s[t ^ 16];
  mine = x[t];
  __syncwarp();
  y[t] = other;
}

void run(const float* x, float* y) { trade<<<1, THREADS>>>(x, y); }
