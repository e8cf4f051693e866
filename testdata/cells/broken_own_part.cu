// Two threads have one part of a tile.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[32][16];
  __syncthreads();
  for (int i = 0; i < 4; ++i) s[t % 64 / 4][4 * (t % 4) + i] = a[4 * t + i];  // want FP720
  for (int i = 0; i < 4; ++i) b[4 * t + i] = s[t % 64 / 4][4 * (t % 4) + i];  // want FP720
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
