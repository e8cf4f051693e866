// Rows of points go through shared memory, as many at a time as there are threads; each thread compares its own point with all of these, coordinate by coordinate, and gives up on one
// that is farther than the nearest so far.
// expect: inconclusive
// small: -
__global__ void nearest(const float* points, const float* asked, int* found, int many, int asks, int width) {
  extern __shared__ float rows[];
  float* mine = rows + blockDim.x * width;
  const int ask = blockIdx.x * blockDim.x + threadIdx.x;
  if (ask < asks)
    for (int c = 0; c < width; ++c) mine[c * blockDim.x + threadIdx.x] = asked[ask * width + c];
  float least = 3e38f;
  int best = -1;
  for (int begin = 0; begin < many; begin += blockDim.x) {
    const int row = begin + threadIdx.x;
    if (row < many)
      for (int c = 0; c < width; ++c) rows[threadIdx.x * width + c] = points[row * width + c];
    __syncthreads();
    if (ask < asks) {
      const int there = min((int)blockDim.x, many - begin);
      for (int other = 0; other < there; ++other) {
        float sum = 0.f;
        bool far = false;
        for (int c = 0; c < width; ++c) {
          const float d = rows[other * width + c] - mine[c * blockDim.x + threadIdx.x];
          sum += d * d;
          if (sum > least) {
            far = true;
            break;
          }
        }
        if (far) continue;
        least = sum;
        best = begin + other;
      }
    }
    __syncthreads();
  }
  if (ask < asks) found[ask] = best;
}
