// As steps.cu, but the steps are one CTA short: the last CTA of a round and the first of the next have the same tile.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
constexpr int CTAS = 64;
constexpr int TILES = 4;

__global__ void reversed(float* tiles) {
  __shared__ float cells[THREADS];
  for (int k = 0; k < TILES; ++k) {
    const int first = (k * (CTAS - 1) + blockIdx.x) * THREADS;
    cells[threadIdx.x] = tiles[first + threadIdx.x];
    __syncthreads();
    tiles[first + threadIdx.x] = cells[THREADS - 1 - threadIdx.x];
    __syncthreads();
  }
}

void run(float* tiles) { reversed<<<CTAS, THREADS>>>(tiles); }
