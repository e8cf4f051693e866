// Each warp fills a tile of its own, and reads that of another warp.
// expect: holds
// small: -

__global__ void cells(const float* a, float* b) {
  const int t = threadIdx.x;
  const int warp = t / 32, lane = t % 32;
  __shared__ float s[128];
  (s + 32 * warp)[lane] = a[t];
  __syncthreads();
  b[t] = (s + 32 * (3 - warp))[lane];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
