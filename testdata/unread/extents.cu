// How large a tile is, a header says that is not there.
// expect: inconclusive
// small: -
#include "absent/tile.h"

__global__ void product(float* out, const float* a, const float* b) {
  __shared__ float left[SIDE][SIDE + 1];
  __shared__ float right[SIDE][SIDE + 1];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int t = 0; t < 4; ++t) {
    left[y][x] = a[(t * SIDE + y) * SIDE + x];
    right[y][x] = b[(t * SIDE + y) * SIDE + x];
    __syncthreads();
    for (int k = 0; k < SIDE; ++k) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  out[y * SIDE + x] = sum;
}

void launch(float* out, const float* a, const float* b) { product<<<1, dim3(SIDE, SIDE)>>>(out, a, b); }
