// Every other cell is cleared through a member of a vector while other warps still read the cells.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void clear(const float* x, float* y) {
  __shared__ alignas(8) float s[2 * THREADS];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[THREADS - 1 - t];  // want FP720
  __syncwarp();
  reinterpret_cast<float2*>(s)[t].x = 0.f;
  s[2 * t + 1] = 1.f;
}

void run(const float* x, float* y) { clear<<<1, THREADS>>>(x, y); }
