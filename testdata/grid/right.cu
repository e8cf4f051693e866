// Each CTA smooths a tile of its own; what it reads of its neighbours is a copy that nothing writes.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void smooth(float* tiles, const float* before, int n) {
  __shared__ float cells[THREADS + 1];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  cells[threadIdx.x] = tiles[i];
  if (threadIdx.x == THREADS - 1) {
    cells[THREADS] = before[i + 1];
  }
  __syncthreads();
  tiles[i] = 0.5f * (cells[threadIdx.x] + cells[threadIdx.x + 1]);
}

void run(float* tiles, const float* before, int blocks, int n) {
  smooth<<<blocks, THREADS>>>(tiles, before, n);
}
