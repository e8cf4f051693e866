// The CTA that draws the last but one ticket adds up the sums of all: the last one may still be missing.
// expect: holds open=order,race,race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void sum(const float* x, float* partial, float* total, unsigned* drawn) {
  __shared__ float cells[THREADS];
  __shared__ bool last;
  cells[threadIdx.x] = x[blockIdx.x * THREADS + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = cells[0] + cells[THREADS - 1];
    __threadfence();
    last = atomicAdd(drawn, 1u) == gridDim.x - 2;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    float s = 0.0f;
    for (int i = 0; i < gridDim.x; ++i) {
      s += partial[i];
    }
    total[0] = s;
  }
}

void run(const float* x, float* partial, float* total, unsigned* drawn, int n) { sum<<<n, THREADS>>>(x, partial, total, drawn); }
