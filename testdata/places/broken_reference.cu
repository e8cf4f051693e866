// As reference.cu, but the partner is in another warp.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void trade(const float* x, float* y) {
  __shared__ float s[THREADS];
  const int t = threadIdx.x;
  auto& mine = s[t];
  auto& other = s[t ^ 32];
  mine = x[t];  // want FP720
  __syncwarp();
  y[t] = other;
}

void run(const float* x, float* y) { trade<<<1, THREADS>>>(x, y); }
