// A fixed number of CTAs walks the tiles in steps of the grid: no two come to the same one.
// expect: holds open=race-grid
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;
constexpr int CTAS = 64;
constexpr int TILES = 4;

__global__ void reversed(float* tiles) {
  __shared__ float cells[THREADS];
  for (int k = 0; k < TILES; ++k) {
    const int first = (k * CTAS + blockIdx.x) * THREADS;
    cells[threadIdx.x] = tiles[first + threadIdx.x];
    __syncthreads();
    tiles[first + threadIdx.x] = cells[THREADS - 1 - threadIdx.x];
    __syncthreads();
  }
}

void run(float* tiles) { reversed<<<CTAS, THREADS>>>(tiles); }
