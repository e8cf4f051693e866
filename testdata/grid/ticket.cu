// Every CTA adds its sum with an atomic operation, and nobody looks at the total.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void sum(const float* x, float* partial, float* total) {
  __shared__ float cells[THREADS];
  cells[threadIdx.x] = x[blockIdx.x * THREADS + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.0f;
    for (int i = 0; i < THREADS; ++i) {
      s += cells[i];
    }
    partial[blockIdx.x] = s;
    atomicAdd(total, s);
  }
}

void run(const float* x, float* partial, float* total, int n) { sum<<<n, THREADS>>>(x, partial, total); }
