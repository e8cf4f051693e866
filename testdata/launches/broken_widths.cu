// Rows of threads carry a sum from turn to turn, which the last one of a row sets while the others are still to read it; how wide a row is, a macro says that is not here, and with most widths no usual CTA goes together.
// expect: inconclusive
// small: -

#include "on_queue.h"

template <int Width>
__global__ void carried(const float* in, float* out, int turns) {
  const int rows = 256 / Width;
  __shared__ float sums[rows];
  __shared__ float lines[rows * Width];
  int x = threadIdx.x, y = threadIdx.y;
  float* line = lines + y * Width;
  if (x == Width - 1) sums[y] = 0;
  __syncthreads();
  for (int k = 0; k < turns; k++) {
    float mine = in[(k * rows + y) * Width + x];
    if (x == 0) mine += sums[y];
    line[x] = mine;
    __syncthreads();
    float next = x > 0 ? mine + line[x - 1] : mine;
    if (x == Width - 1) sums[y] = next;
    out[(k * rows + y) * Width + x] = next;
  }
}

void run(const float* in, float* out, int turns, int width) {
  switch (width) {
    case 32: ON_QUEUE((carried<32>), 1, 256, in, out, turns); break;
    case 64: ON_QUEUE((carried<64>), 1, 256, in, out, turns); break;
    case 256: ON_QUEUE((carried<256>), 1, 256, in, out, turns); break;
  }
}
