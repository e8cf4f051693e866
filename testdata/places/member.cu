// Every other cell is cleared through a member of a vector, once nobody reads the cells any more.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void clear(const float* x, float* y) {
  __shared__ alignas(8) float s[2 * THREADS];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[THREADS - 1 - t];
  __syncthreads();
  reinterpret_cast<float2*>(s)[t].x = 0.f;
  s[2 * t + 1] = 1.f;
}

void run(const float* x, float* y) { clear<<<1, THREADS>>>(x, y); }
