// As right.cu, but the first cell of the next tile is read where its own CTA writes it.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void smooth(float* tiles, const float* before, int n) {
  __shared__ float cells[THREADS + 1];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  cells[threadIdx.x] = tiles[i];
  if (threadIdx.x == THREADS - 1) {
    cells[THREADS] = tiles[i + 1];
  }
  __syncthreads();
  tiles[i] = 0.5f * (cells[threadIdx.x] + cells[threadIdx.x + 1]);
}

void run(float* tiles, const float* before, int blocks, int n) {
  smooth<<<blocks, THREADS>>>(tiles, before, n);
}
