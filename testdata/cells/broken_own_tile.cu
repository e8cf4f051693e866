// Each warp fills a tile, two warps the same one.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  const int t = threadIdx.x;
  const int warp = t / 32, lane = t % 32;
  __shared__ float s[128];
  (s + 32 * (warp / 2))[lane] = t;  // want FP720
  __syncthreads();
  b[t] = s[t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
